-- What leads to a person, so that an erasure finds its rows by reference and never looks for words.

-- Somebody's address in the form in which addresses are compared.
ALTER TABLE employees ADD COLUMN manager_key text NOT NULL DEFAULT '';
UPDATE employees SET manager_key = lower(manager_email) WHERE manager_email <> '';
CREATE INDEX employees_manager ON employees (tenant_id, manager_key) WHERE manager_key <> '';
ALTER TABLE unmatched_events ADD COLUMN email_key text NOT NULL DEFAULT '';
UPDATE unmatched_events SET email_key = lower(employee_email);
CREATE INDEX unmatched_events_email ON unmatched_events (tenant_id, email_key);

-- The people of whom a saved answer tells; null where it tells of nobody.
ALTER TABLE idempotent_answers ADD COLUMN employee_ids text[];
CREATE INDEX idempotent_answers_about ON idempotent_answers (tenant_id, request) WHERE employee_ids IS NOT NULL;

-- Whose events a retraction takes back, or who is erased. email_hash is the keyed hash of the address of somebody who is
-- being erased: an event for it is kept nowhere.
ALTER TABLE jobs ADD COLUMN employee_id text, ADD COLUMN email_hash bytea;
UPDATE jobs SET employee_id = scope #>> '{filter,employee_id}' WHERE kind = 'retraction';
CREATE INDEX jobs_employee ON jobs (tenant_id, employee_id, job_id) WHERE employee_id IS NOT NULL;
CREATE INDEX jobs_address ON jobs (tenant_id, email_hash) WHERE email_hash IS NOT NULL;

-- Deliveries of what was told of them are never sent and never shown, also before they are emptied.
CREATE INDEX employee_states_erased ON employee_states (tenant_id, employee_id) WHERE erased_at IS NOT NULL;
