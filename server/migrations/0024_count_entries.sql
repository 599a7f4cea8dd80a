-- What a transaction changes of the kept counts is one row of its own, for which nobody waits; the worker adds up many
-- of them at once. Invariant: what is counted is the sum of both.
CREATE TABLE score_count_entries (
  tenant_id text NOT NULL,
  entry_id text NOT NULL,
  days date[] NOT NULL,
  statuses text[] NOT NULL,
  departments text[] NOT NULL,
  bands text[] NOT NULL,
  scores smallint[] NOT NULL,
  people bigint[] NOT NULL,
  CONSTRAINT score_count_entries_pk PRIMARY KEY (tenant_id, entry_id)
);

CREATE TABLE event_count_entries (
  tenant_id text NOT NULL,
  entry_id text NOT NULL,
  days date[] NOT NULL,
  types text[] NOT NULL,
  sources text[] NOT NULL,
  departments text[] NOT NULL,
  signs smallint[] NOT NULL,
  events bigint[] NOT NULL,
  counted bigint[] NOT NULL,
  impacts bigint[] NOT NULL,
  CONSTRAINT event_count_entries_pk PRIMARY KEY (tenant_id, entry_id)
);

CREATE VIEW all_score_counts WITH (security_invoker = true) AS
  SELECT c.tenant_id, c.day, c.status, c.department, c.band, c.score, c.people FROM score_counts c
  UNION ALL
  SELECT e.tenant_id, u.day, u.status, u.department, u.band, u.score, u.people
  FROM score_count_entries e
  CROSS JOIN LATERAL unnest(e.days, e.statuses, e.departments, e.bands, e.scores, e.people)
    AS u(day, status, department, band, score, people);

CREATE VIEW all_event_counts WITH (security_invoker = true) AS
  SELECT c.tenant_id, c.day, c.type, c.source, c.department, c.sign, c.events, c.counted, c.impact FROM event_counts c
  UNION ALL
  SELECT e.tenant_id, u.day, u.type, u.source, u.department, u.sign, u.events, u.counted, u.impact
  FROM event_count_entries e
  CROSS JOIN LATERAL unnest(e.days, e.types, e.sources, e.departments, e.signs, e.events, e.counted, e.impacts)
    AS u(day, type, source, department, sign, events, counted, impact);
