-- Counts of past days without departments and slots, so that the total of a list adds up few rows.
-- Invariant: a day before days_to without a mark of kind sums in it = its event_counts. No row: no events.
CREATE TABLE event_days (
  tenant_id text NOT NULL,
  day date NOT NULL,
  type text NOT NULL,
  source text NOT NULL,
  sign smallint NOT NULL,
  events bigint NOT NULL,
  CONSTRAINT event_days_pk PRIMARY KEY (tenant_id, day, type, source, sign)
);

-- Every day before it is kept in event_days; null: none is.
ALTER TABLE event_closings ADD COLUMN days_to date;
