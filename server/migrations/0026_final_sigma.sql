-- The Greek sigma is one letter, also where it ends a word: capitals do not tell. Of people who were made as two so, the one
-- whose address held no final one, else the first, has the address from here on; of accounts, the one with a password
-- before one that was only invited. Nobody is lost. A database whose encoding has no such letters holds none.
DO $$
DECLARE
  last text;
  usual text;
BEGIN
  last := convert_from('\xcf82', 'UTF8');
  usual := convert_from('\xcf83', 'UTF8');
  UPDATE employees SET search_text = replace(search_text, last, usual) WHERE strpos(search_text, last) > 0;
  UPDATE employees e SET email_key = replace(e.email_key, last, usual)
    WHERE strpos(e.email_key, last) > 0 AND NOT EXISTS (
      SELECT 1 FROM employees o WHERE o.tenant_id = e.tenant_id AND o.employee_id <> e.employee_id
        AND replace(o.email_key, last, usual) = replace(e.email_key, last, usual)
        AND (strpos(o.email_key, last) = 0 OR o.employee_id < e.employee_id));
  UPDATE users u SET email_key = replace(u.email_key, last, usual)
    WHERE strpos(u.email_key, last) > 0 AND NOT EXISTS (
      SELECT 1 FROM users o WHERE o.tenant_id = u.tenant_id AND o.user_id <> u.user_id
        AND replace(o.email_key, last, usual) = replace(u.email_key, last, usual)
        AND (strpos(o.email_key, last) = 0
          OR (o.password_hash IS NULL, o.user_id) < (u.password_hash IS NULL, u.user_id)));
EXCEPTION
  WHEN untranslatable_character THEN NULL;
END
$$;
