-- The past of the score views: days as histograms, and where everyone stood 30 days ago.

-- The end of a day: counts[i + 1] active people have the score i. A day without a row is as the last one before it.
-- Invariant: with the rows of score_counts up to a day that are not yet folded in here, it gives that day's end.
CREATE TABLE score_days (
  tenant_id text NOT NULL,
  day date NOT NULL,
  counts integer[] NOT NULL,
  CONSTRAINT score_days_pk PRIMARY KEY (tenant_id, day)
);

CREATE TABLE department_days (
  tenant_id text NOT NULL,
  department text NOT NULL,
  day date NOT NULL,
  counts integer[] NOT NULL,
  CONSTRAINT department_days_pk PRIMARY KEY (tenant_id, department, day)
);

-- Which instant the past scores of a tenant hold for, and what they add up to then: active people and their scores.
-- The row is also the lock of the jobs that keep the past.
CREATE TABLE score_marks (
  tenant_id text NOT NULL,
  past_at timestamptz NOT NULL,
  past_people bigint NOT NULL,
  past_points bigint NOT NULL,
  CONSTRAINT score_marks_pk PRIMARY KEY (tenant_id)
);

-- The score at the tenant's past_at, or at creation where that is later.
ALTER TABLE employee_states ADD COLUMN past_score smallint;
UPDATE employee_states s SET past_score = h.score FROM score_history h
  WHERE h.tenant_id = s.tenant_id AND h.employee_id = s.employee_id AND h.version = 1;
ALTER TABLE employee_states ALTER COLUMN past_score SET NOT NULL;
CREATE INDEX employee_states_drop ON employee_states (tenant_id, (score - past_score), employee_id)
  WHERE status = 'active';

CREATE INDEX score_history_time ON score_history (tenant_id, at);
