-- The second lock: row-level security, which `migrate` keeps on every table that has a tenant_id.

-- Under a policy only leak-proof conditions may use an index, and LIKE is not one: this view holds to the tenant by
-- its own text, read by the owner of the table, so that the search for names keeps its index.
CREATE VIEW employee_texts AS
  SELECT tenant_id, employee_id, search_text FROM employees
  WHERE tenant_id = (SELECT current_setting('bellwether.tenant_id', true));
