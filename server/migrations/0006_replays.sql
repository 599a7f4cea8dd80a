-- Work asked for and done in pieces by the worker: recalculations, their previews, settings changes, retractions.

-- status: queued, running, completed, failed, cancelled. A piece is one transaction that also moves the cursor.
-- Invariant: only who holds the present fence may go on; every claim raises it.
CREATE TABLE jobs (
  tenant_id text NOT NULL,
  job_id text NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  scope jsonb NOT NULL,
  total bigint,
  processed bigint NOT NULL,
  changed bigint NOT NULL,
  events bigint NOT NULL,
  cursor text NOT NULL,
  result jsonb,
  failures integer NOT NULL,
  lease_until timestamptz,
  fence bigint NOT NULL,
  requested_by text NOT NULL,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz,
  error text,
  CONSTRAINT jobs_pk PRIMARY KEY (tenant_id, job_id)
) WITH (fillfactor = 50);
CREATE INDEX jobs_open ON jobs (tenant_id, created_at, job_id) WHERE finished_at IS NULL;
CREATE INDEX jobs_kind ON jobs (tenant_id, kind, created_at);

-- What a dry run reads: the shares in force of one rule in a window. Two indexes, each with a condition that the
-- question for one employee's cooldown lacks, so that it is always answered by the key.
CREATE INDEX shares_rule ON shares (tenant_id, rule_id, timestamp) WHERE to_version IS NULL AND NOT folded;
CREATE INDEX shares_folded ON shares (tenant_id, rule_id, timestamp) WHERE to_version IS NULL AND folded;
