-- What is left to do after a person was erased: looking for the name in what was written about others.

-- traces is what to look for, sealed; it is gone once the search has ended. Tables are searched one after another, in
-- the order of their keys; pass, table_name and cursor say how far it has come.
CREATE TABLE erasures (
  tenant_id text NOT NULL,
  employee_id text NOT NULL,
  traces text,
  pass integer NOT NULL,
  table_name text NOT NULL,
  cursor text NOT NULL,
  rows_read bigint NOT NULL,
  rows_changed bigint NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz,
  CONSTRAINT erasures_pk PRIMARY KEY (tenant_id, employee_id)
);
CREATE INDEX erasures_open ON erasures (tenant_id, employee_id) WHERE finished_at IS NULL;

-- A mail is claimed for a while and marked as sent once the server has taken it: a kill in between repeats it.
ALTER TABLE notifications ADD COLUMN mail_lease_until timestamptz;
ALTER TABLE notification_digests ADD COLUMN lease_until timestamptz;
