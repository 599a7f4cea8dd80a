-- Numbers of people are given out by who holds the closing, which knows how many there are.
ALTER TABLE event_closings ADD COLUMN people integer NOT NULL DEFAULT 0;
UPDATE event_closings c SET people = coalesce(
  (SELECT max(n.number) + 1 FROM employee_numbers n WHERE n.tenant_id = c.tenant_id), 0);
ALTER TABLE event_closings ALTER COLUMN people DROP DEFAULT;

-- Invariant: one index only. Planned while the table is empty, a look-up of an id fell to this one and read it all.
ALTER TABLE employee_numbers DROP CONSTRAINT employee_numbers_unique;
