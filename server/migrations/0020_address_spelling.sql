-- An address is the same whether an accent stands on its letter or apart from it. Of people who were made as two so, the
-- one whose accents stand on their letters, else the first, has the address from here on; nobody is lost.
UPDATE employees e SET email_key = normalize(e.email_key, NFC)
  WHERE current_setting('server_encoding') = 'UTF8' AND e.email_key IS NOT NFC NORMALIZED AND NOT EXISTS (
    SELECT 1 FROM employees o WHERE o.tenant_id = e.tenant_id AND o.employee_id <> e.employee_id
      AND normalize(o.email_key, NFC) = normalize(e.email_key, NFC)
      AND (o.email_key IS NFC NORMALIZED OR o.employee_id < e.employee_id));
