-- Finds a longer text by its rare parts: three letters are shared by too many people.

-- Every five letters in a row, each hashed together with the tenant, which so needs no list of its own.
CREATE FUNCTION text_grams(tenant_id text, search_text text) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  prefix text := tenant_id || ' ';
  grams integer[] := '{}';
BEGIN
  FOR i IN 1 .. length(search_text) - 4 LOOP
    grams[i] := hashtext(prefix || substr(search_text, i, 5));
  END LOOP;
  RETURN grams;
END
$$;

CREATE INDEX employees_grams ON employees USING gin (text_grams(tenant_id, search_text));

-- As employee_texts, but no other index fits: to make the grams of everybody in a large tenant takes seconds.
CREATE VIEW employee_grams AS
  SELECT tenant_id || '' AS tenant_id, employee_id, search_text, text_grams(tenant_id, search_text) AS grams,
    last_name, first_name
  FROM employees WHERE tenant_id || '' = (SELECT current_setting('bellwether.tenant_id', true));

-- With the names, so that those found are put in order where they are found.
CREATE OR REPLACE VIEW employee_texts AS
  SELECT tenant_id, employee_id, search_text, last_name, first_name FROM employees
  WHERE tenant_id = (SELECT current_setting('bellwether.tenant_id', true));
