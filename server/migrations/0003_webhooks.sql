-- Outbound webhooks: subscriptions, messages, deliveries with their attempts, recoveries, and notifications.

-- status: enabled, disabled, deleted (kept until its log is gone). disabled_reason: manual, failures, gone.
-- secret and new_secret are sealed; while a rotation lasts both are valid.
CREATE TABLE webhooks (
  tenant_id text NOT NULL,
  webhook_id text NOT NULL,
  url text NOT NULL,
  description text NOT NULL,
  events text[] NOT NULL,
  status text NOT NULL,
  disabled_reason text,
  disabled_at timestamptz,
  secret text NOT NULL,
  new_secret text,
  rotation_ends_at timestamptz,
  activated_at timestamptz,
  failures integer NOT NULL,
  first_failed_at timestamptz,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT webhooks_pk PRIMARY KEY (tenant_id, webhook_id)
) WITH (fillfactor = 70);

-- One body for all subscriptions that receive it; the bytes never change.
CREATE TABLE webhook_messages (
  tenant_id text NOT NULL,
  message_id text NOT NULL,
  body text NOT NULL,
  CONSTRAINT webhook_messages_pk PRIMARY KEY (tenant_id, message_id)
);

-- Invariant: next_attempt_at is null exactly when nothing is to be sent (delivered, failed, skipped).
-- Invariant: a pending one is due at created_at, which follows position; so the earlier is always claimed first.
-- fence names the claim in whose name an outcome may be recorded; it is null when nobody holds the delivery.
CREATE TABLE webhook_deliveries (
  tenant_id text NOT NULL,
  webhook_id text NOT NULL,
  delivery_id text NOT NULL,
  message_id text NOT NULL,
  event text NOT NULL,
  employee_id text NOT NULL,
  position bigint NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL,
  most_attempts integer NOT NULL,
  next_attempt_at timestamptz,
  lease_until timestamptz,
  fence text,
  last_response_status integer,
  last_error text,
  created_at timestamptz NOT NULL,
  CONSTRAINT webhook_deliveries_pk PRIMARY KEY (tenant_id, webhook_id, delivery_id)
) WITH (fillfactor = 70);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (tenant_id, webhook_id, next_attempt_at, position)
  WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (tenant_id, employee_id, webhook_id, position)
  WHERE status = 'pending';
CREATE INDEX webhook_deliveries_missed ON webhook_deliveries (tenant_id, webhook_id, delivery_id)
  WHERE status IN ('failed', 'skipped');

CREATE TABLE webhook_attempts (
  tenant_id text NOT NULL,
  webhook_id text NOT NULL,
  delivery_id text NOT NULL,
  attempt integer NOT NULL,
  url text NOT NULL,
  signature text NOT NULL,
  standard_signature text NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  dns_ms double precision,
  connect_ms double precision,
  first_byte_ms double precision,
  total_ms double precision NOT NULL,
  stage text,
  error text,
  response_status integer,
  response_headers jsonb,
  response_body text,
  response_encoding text NOT NULL,
  response_truncated boolean NOT NULL,
  CONSTRAINT webhook_attempts_pk PRIMARY KEY (tenant_id, webhook_id, delivery_id, attempt)
);

-- Sends again what was missed since an instant; done_to is how far it has come.
CREATE TABLE webhook_recoveries (
  tenant_id text NOT NULL,
  recovery_id text NOT NULL,
  webhook_id text NOT NULL,
  status text NOT NULL,
  since timestamptz NOT NULL,
  total integer NOT NULL,
  processed integer NOT NULL,
  done_to text NOT NULL,
  ends_at text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz,
  error text,
  CONSTRAINT webhook_recoveries_pk PRIMARY KEY (tenant_id, recovery_id)
);
CREATE INDEX webhook_recoveries_open ON webhook_recoveries (tenant_id, recovery_id)
  WHERE finished_at IS NULL;

-- What people should hear of. What repeats before it is read is counted on one row.
-- raised_at is when it last became worth telling; a mail is due when it is later than mailed_at.
CREATE TABLE notifications (
  tenant_id text NOT NULL,
  notification_id text NOT NULL,
  kind text NOT NULL,
  subject_kind text NOT NULL,
  subject_id text NOT NULL,
  count integer NOT NULL,
  data jsonb NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  raised_at timestamptz NOT NULL,
  read_at timestamptz,
  mailed_at timestamptz,
  CONSTRAINT notifications_pk PRIMARY KEY (tenant_id, notification_id)
);
CREATE UNIQUE INDEX notifications_unread ON notifications (tenant_id, kind, subject_id) WHERE read_at IS NULL;
