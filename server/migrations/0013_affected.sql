-- Who was affected: past events in closed blocks of time, so that distinct people are counted without reading rows.
-- A base block is 450 seconds, counted from the epoch; a block of level n is 8^n of them.

-- Whoever changes events dated before this instant marks their blocks. It is announced before it is relied on.
ALTER TABLE tenants ADD COLUMN closing_to timestamptz;

-- How far a tenant's events are closed, in base blocks; closing_since is when tenants.closing_to was last moved.
-- The row is also the lock of the job that closes.
CREATE TABLE event_closings (
  tenant_id text NOT NULL,
  closed_to integer NOT NULL,
  closing_since timestamptz,
  CONSTRAINT event_closings_pk PRIMARY KEY (tenant_id)
);

-- Blocks to be built anew: kind people at any level, kind sums by hour, which is level 1.
-- slot spreads writers; version tells who builds whether the mark was set again meanwhile.
CREATE TABLE event_marks (
  tenant_id text NOT NULL,
  kind text NOT NULL,
  level smallint NOT NULL,
  block integer NOT NULL,
  slot smallint NOT NULL,
  version integer NOT NULL,
  CONSTRAINT event_marks_pk PRIMARY KEY (tenant_id, kind, level, block, slot)
) WITH (fillfactor = 70);

-- Small numbers instead of ids, given out when somebody is first met in a block.
CREATE TABLE employee_numbers (
  tenant_id text NOT NULL,
  employee_id text NOT NULL,
  number integer NOT NULL,
  CONSTRAINT employee_numbers_pk PRIMARY KEY (tenant_id, employee_id),
  CONSTRAINT employee_numbers_unique UNIQUE (tenant_id, number)
);

-- The numbers of the people with events that count, by type, source and department. No row: no events.
-- Invariant: below closed_to, a block without a mark on it or inside it is what the events say.
CREATE TABLE event_people (
  tenant_id text NOT NULL,
  level smallint NOT NULL,
  block integer NOT NULL,
  by_type bytea NOT NULL,
  by_source bytea NOT NULL,
  by_department bytea NOT NULL,
  CONSTRAINT event_people_pk PRIMARY KEY (tenant_id, level, block)
);
-- The lists are packed already.
ALTER TABLE event_people ALTER COLUMN by_type SET STORAGE EXTERNAL,
  ALTER COLUMN by_source SET STORAGE EXTERNAL, ALTER COLUMN by_department SET STORAGE EXTERNAL;

-- Counts and impacts of whole hours, for the days of which a window takes a part.
CREATE TABLE event_sums (
  tenant_id text NOT NULL,
  hour integer NOT NULL,
  grouped_by text NOT NULL,
  value text NOT NULL,
  counted bigint NOT NULL,
  impact bigint NOT NULL,
  CONSTRAINT event_sums_pk PRIMARY KEY (tenant_id, hour, grouped_by, value)
);
