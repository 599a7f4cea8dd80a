-- Whom an entry holds something about, where it is one employee: covered by the chain, and the way from a person to the
-- values that an erasure takes away.
ALTER TABLE audit_entries ADD COLUMN employee_id text;
CREATE INDEX audit_entries_employee ON audit_entries (tenant_id, employee_id, seq) WHERE employee_id IS NOT NULL;
