-- The ground floor: tenants, keys, limits, audit log, employees with their state, rules, events and shares.
-- Rules for this folder: tenant_id first in every key; no triggers, sequences or volatile defaults.

CREATE TABLE tenants (
  tenant_id text NOT NULL,
  name text NOT NULL,
  plan text NOT NULL,
  limits jsonb NOT NULL,
  status text NOT NULL,
  retention_months integer NOT NULL,
  rules_version bigint NOT NULL,
  settings_version integer NOT NULL,
  edges_version integer NOT NULL,
  clean_streak_days integer NOT NULL,
  clean_streak_changed_at timestamptz,
  created_at timestamptz NOT NULL,
  CONSTRAINT tenants_pk PRIMARY KEY (tenant_id)
);

-- Start, half-life and cap by version; the past is read with the version that was in force.
CREATE TABLE scoring_settings (
  tenant_id text NOT NULL,
  settings_version integer NOT NULL,
  starting_score integer NOT NULL,
  half_life_days integer NOT NULL,
  recovery_cap integer NOT NULL,
  valid_from timestamptz NOT NULL,
  CONSTRAINT scoring_settings_pk PRIMARY KEY (tenant_id, settings_version)
);

CREATE TABLE band_edges (
  tenant_id text NOT NULL,
  edges_version integer NOT NULL,
  green integer NOT NULL,
  yellow integer NOT NULL,
  orange integer NOT NULL,
  red integer NOT NULL,
  valid_from timestamptz NOT NULL,
  CONSTRAINT band_edges_pk PRIMARY KEY (tenant_id, edges_version)
);

CREATE TABLE api_keys (
  tenant_id text NOT NULL,
  key_id text NOT NULL,
  key_hash bytea NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  CONSTRAINT api_keys_pk PRIMARY KEY (tenant_id, key_id),
  CONSTRAINT api_keys_hash_unique UNIQUE (tenant_id, key_hash)
);

-- Token buckets; addresses without credentials live under the reserved tenant.
CREATE TABLE rate_buckets (
  tenant_id text NOT NULL,
  bucket text NOT NULL,
  tokens double precision NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT rate_buckets_pk PRIMARY KEY (tenant_id, bucket)
) WITH (fillfactor = 50);

CREATE TABLE idempotent_answers (
  tenant_id text NOT NULL,
  request text NOT NULL,
  body_hash bytea NOT NULL,
  status integer,
  location text,
  answer text,
  encrypted boolean NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT idempotent_answers_pk PRIMARY KEY (tenant_id, request)
);
CREATE INDEX idempotent_answers_age ON idempotent_answers (tenant_id, created_at);

-- The chain covers ids and a salted hash of the personal values; values and salt stand beside it and can be erased.
CREATE TABLE audit_entries (
  tenant_id text NOT NULL,
  seq bigint NOT NULL,
  at timestamptz NOT NULL,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  action text NOT NULL,
  subject_kind text NOT NULL,
  subject_id text NOT NULL,
  request_id text NOT NULL,
  values_hash bytea NOT NULL,
  prev_hash bytea NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT audit_entries_pk PRIMARY KEY (tenant_id, seq)
);
CREATE INDEX audit_entries_subject ON audit_entries (tenant_id, subject_id, seq);

CREATE TABLE audit_values (
  tenant_id text NOT NULL,
  seq bigint NOT NULL,
  salt bytea NOT NULL,
  content text NOT NULL,
  CONSTRAINT audit_values_pk PRIMARY KEY (tenant_id, seq)
);

CREATE TABLE audit_heads (
  tenant_id text NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT audit_heads_pk PRIMARY KEY (tenant_id)
);

-- Who a person is; what changes with every event is in employee_states.
CREATE TABLE employees (
  tenant_id text NOT NULL,
  employee_id text NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  first_name text NOT NULL,
  last_name text NOT NULL,
  title text NOT NULL,
  location text NOT NULL,
  manager_email text NOT NULL,
  search_text text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT employees_pk PRIMARY KEY (tenant_id, employee_id),
  CONSTRAINT employees_email_unique UNIQUE (tenant_id, email_key)
);
CREATE INDEX employees_name ON employees (tenant_id, last_name, first_name, employee_id);

-- Invariant: this row is the lock of the employee; every writer of score, status or department holds it.
CREATE TABLE employee_states (
  tenant_id text NOT NULL,
  employee_id text NOT NULL,
  department text NOT NULL,
  status text NOT NULL,
  score smallint NOT NULL,
  band text NOT NULL,
  risk double precision NOT NULL,
  recovery double precision NOT NULL,
  as_of timestamptz NOT NULL,
  next_change_at timestamptz,
  streak_due_at timestamptz,
  next_due_at timestamptz,
  version bigint NOT NULL,
  settings_version integer NOT NULL,
  edges_version integer NOT NULL,
  carried_risk double precision NOT NULL,
  carried_recovery double precision NOT NULL,
  carried_as_of timestamptz,
  last_event_at timestamptz,
  last_negative_at timestamptz,
  last_streak_at timestamptz,
  reactivated_at timestamptz,
  sources text[] NOT NULL,
  CONSTRAINT employee_states_pk PRIMARY KEY (tenant_id, employee_id)
) WITH (fillfactor = 70);
CREATE INDEX employee_states_score ON employee_states (tenant_id, score, employee_id);
CREATE INDEX employee_states_department ON employee_states (tenant_id, department, score, employee_id);
CREATE INDEX employee_states_last_event ON employee_states (tenant_id, last_event_at, employee_id);
CREATE INDEX employee_states_due ON employee_states (tenant_id, next_due_at) WHERE next_due_at IS NOT NULL;
CREATE INDEX employee_states_inactive ON employee_states (tenant_id, employee_id) WHERE status = 'inactive';

-- Every change of state; the score of any past instant is the last row at or before it.
CREATE TABLE score_history (
  tenant_id text NOT NULL,
  employee_id text NOT NULL,
  version bigint NOT NULL,
  at timestamptz NOT NULL,
  score smallint NOT NULL,
  band text NOT NULL,
  risk double precision NOT NULL,
  recovery double precision NOT NULL,
  status text NOT NULL,
  department text NOT NULL,
  settings_version integer NOT NULL,
  edges_version integer NOT NULL,
  reason text NOT NULL,
  trigger_event text NOT NULL,
  event_id text,
  actor text NOT NULL,
  CONSTRAINT score_history_pk PRIMARY KEY (tenant_id, employee_id, version)
);

-- Moves of people between cells, by day: their sum is the present, their sum up to a day that day's end.
-- slot spreads writers, so that two of them seldom wait for one row.
CREATE TABLE score_counts (
  tenant_id text NOT NULL,
  day date NOT NULL,
  status text NOT NULL,
  department text NOT NULL,
  band text NOT NULL,
  score smallint NOT NULL,
  slot smallint NOT NULL,
  people bigint NOT NULL,
  CONSTRAINT score_counts_pk PRIMARY KEY (tenant_id, day, status, department, band, score, slot)
) WITH (fillfactor = 70);

CREATE TABLE rules (
  tenant_id text NOT NULL,
  rule_id text NOT NULL,
  name text NOT NULL,
  event_type text NOT NULL,
  category text NOT NULL,
  impact integer NOT NULL,
  cooldown text NOT NULL,
  conditions jsonb NOT NULL,
  priority integer NOT NULL,
  exclusive boolean NOT NULL,
  is_default boolean NOT NULL,
  status text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT rules_pk PRIMARY KEY (tenant_id, rule_id)
);
CREATE INDEX rules_order ON rules (tenant_id, priority DESC, created_at, rule_id);

CREATE TABLE events (
  tenant_id text NOT NULL,
  event_id text NOT NULL,
  employee_id text NOT NULL,
  department text NOT NULL,
  type text NOT NULL,
  source text NOT NULL,
  timestamp timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  impact integer NOT NULL,
  details jsonb NOT NULL,
  rules_matched text[] NOT NULL,
  cooling jsonb,
  inert boolean NOT NULL,
  retracted_at timestamptz,
  retraction text,
  actor text NOT NULL,
  CONSTRAINT events_pk PRIMARY KEY (tenant_id, event_id)
);
CREATE INDEX events_time ON events (tenant_id, timestamp, event_id);
CREATE INDEX events_employee ON events (tenant_id, employee_id, timestamp, event_id);
CREATE INDEX events_type ON events (tenant_id, type, timestamp, event_id);
CREATE INDEX events_source ON events (tenant_id, source, timestamp, event_id);
CREATE INDEX events_negative ON events (tenant_id, timestamp, event_id) WHERE impact < 0;
CREATE INDEX events_positive ON events (tenant_id, timestamp, event_id) WHERE impact > 0;

-- What a repeated external_id answers, unchanged by later scorings.
CREATE TABLE external_ids (
  tenant_id text NOT NULL,
  source text NOT NULL,
  external_id text NOT NULL,
  event_id text NOT NULL,
  answer jsonb NOT NULL,
  CONSTRAINT external_ids_pk PRIMARY KEY (tenant_id, source, external_id)
);
CREATE INDEX external_ids_event ON external_ids (tenant_id, event_id);

-- One row per firing. Never overwritten: it counts from from_version until to_version of its employee.
-- Invariant: to_version null means in force; the key also serves the question "which firings cool this rule".
CREATE TABLE shares (
  tenant_id text NOT NULL,
  employee_id text NOT NULL,
  rule_id text NOT NULL,
  timestamp timestamptz NOT NULL,
  event_id text NOT NULL,
  from_version bigint NOT NULL,
  impact integer NOT NULL,
  dated_at timestamptz NOT NULL,
  to_version bigint,
  ended_at timestamptz,
  ended_by text,
  folded boolean NOT NULL,
  CONSTRAINT shares_pk PRIMARY KEY (tenant_id, employee_id, rule_id, timestamp, event_id, from_version)
);

-- Events by day, kept by the writing transaction: totals of lists and statistics without counting rows.
-- events counts all, counted those not retracted, impact their sum.
CREATE TABLE event_counts (
  tenant_id text NOT NULL,
  day date NOT NULL,
  type text NOT NULL,
  source text NOT NULL,
  department text NOT NULL,
  sign smallint NOT NULL,
  slot smallint NOT NULL,
  events bigint NOT NULL,
  counted bigint NOT NULL,
  impact bigint NOT NULL,
  CONSTRAINT event_counts_pk PRIMARY KEY (tenant_id, day, type, source, department, sign, slot)
) WITH (fillfactor = 70);

CREATE TABLE unmatched_events (
  tenant_id text NOT NULL,
  unmatched_id text NOT NULL,
  source text NOT NULL,
  type text NOT NULL,
  employee_email text NOT NULL,
  timestamp timestamptz NOT NULL,
  details jsonb NOT NULL,
  external_id text,
  received_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  actor text NOT NULL,
  CONSTRAINT unmatched_events_pk PRIMARY KEY (tenant_id, unmatched_id)
);
CREATE INDEX unmatched_events_expiry ON unmatched_events (tenant_id, expires_at);
