-- Action policies, the actions they and people set off, who has read which notification, and erased people.

-- Raised with every change of a policy. Invariant: 0 means that no policy has ever been switched on.
ALTER TABLE tenants ADD COLUMN policies_version bigint NOT NULL DEFAULT 0;

-- department null means everyone. quiet_for: how long the policy rests for one employee and one transition.
CREATE TABLE action_policies (
  tenant_id text NOT NULL,
  policy_id text NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  trigger jsonb NOT NULL,
  department text,
  type text NOT NULL,
  parameters jsonb NOT NULL,
  requires_approval boolean NOT NULL,
  quiet_for text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT action_policies_pk PRIMARY KEY (tenant_id, policy_id)
);

-- status: awaiting_approval, triggered, completed, failed, rejected, expired. transition is what a policy rests for;
-- occurred_at the instant of the change that set it off. policy_id '' means asked for by hand.
-- Invariant: expires_at is null exactly when it has ended; next_attempt_at only while we have a mail to send.
CREATE TABLE actions (
  tenant_id text NOT NULL,
  action_id text NOT NULL,
  policy_id text NOT NULL,
  employee_id text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  parameters jsonb NOT NULL,
  transition text NOT NULL,
  reason text NOT NULL,
  trigger_event text NOT NULL,
  event_id text,
  previous_score smallint,
  new_score smallint,
  previous_band text,
  new_band text,
  note text NOT NULL,
  outcome text NOT NULL,
  outcome_note text NOT NULL,
  requested_by text NOT NULL,
  decided_by text,
  finished_by text,
  occurred_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  triggered_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz,
  attempts integer NOT NULL,
  next_attempt_at timestamptz,
  lease_until timestamptz,
  fence text,
  CONSTRAINT actions_pk PRIMARY KEY (tenant_id, action_id)
) WITH (fillfactor = 80);
CREATE INDEX actions_employee ON actions (tenant_id, employee_id, action_id);
CREATE INDEX actions_transition ON actions (tenant_id, policy_id, employee_id, transition, occurred_at);
CREATE INDEX actions_status ON actions (tenant_id, status, action_id);
CREATE INDEX actions_type ON actions (tenant_id, type, action_id);
CREATE INDEX actions_due ON actions (tenant_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX actions_expiry ON actions (tenant_id, expires_at) WHERE expires_at IS NOT NULL;

-- Reading closes the line for further counting (notifications.read_at) and marks it for the one who read it.
CREATE TABLE notification_reads (
  tenant_id text NOT NULL,
  user_id text NOT NULL,
  notification_id text NOT NULL,
  read_at timestamptz NOT NULL,
  CONSTRAINT notification_reads_pk PRIMARY KEY (tenant_id, user_id, notification_id)
);
CREATE INDEX notification_reads_of ON notification_reads (tenant_id, notification_id);
-- Lines whose mail is due.
CREATE INDEX notifications_unmailed ON notifications (tenant_id, raised_at)
  WHERE mailed_at IS NULL OR mailed_at < raised_at;
CREATE INDEX notifications_latest ON notifications (tenant_id, last_at, notification_id);

-- frequency: daily or weekly. Who has no row gets no digest. next_at is when the next one is due.
CREATE TABLE notification_digests (
  tenant_id text NOT NULL,
  user_id text NOT NULL,
  frequency text NOT NULL,
  told_until timestamptz NOT NULL,
  next_at timestamptz NOT NULL,
  CONSTRAINT notification_digests_pk PRIMARY KEY (tenant_id, user_id)
);
CREATE INDEX notification_digests_due ON notification_digests (tenant_id, next_at);

-- Read under the employee's lock: an event that waited for an erasure no longer finds the person.
ALTER TABLE employee_states ADD COLUMN erased_at timestamptz;

-- What retention forgets in the end: folded shares that cool nothing any more.
CREATE INDEX shares_forgotten ON shares (tenant_id, timestamp) WHERE to_version IS NULL AND folded;
