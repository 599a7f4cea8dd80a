-- How much each tenant used its plan on each UTC day. Written every few seconds from the memory of the processes,
-- so a crash may lose the last moments: it is there to be looked at, no limit rests on it. One row a tenant and
-- day is little enough to be kept.
CREATE TABLE usage_days (
  tenant_id text NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL,
  events bigint NOT NULL,
  deliveries bigint NOT NULL,
  CONSTRAINT usage_days_pk PRIMARY KEY (tenant_id, day)
) WITH (fillfactor = 50);
