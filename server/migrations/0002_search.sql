-- Makes the search for names and addresses fast where the extensions may be used; it is right without them.

DO $$
BEGIN
  IF (SELECT count(*) FROM pg_available_extensions WHERE name IN ('pg_trgm', 'btree_gin')) = 2 THEN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE EXTENSION IF NOT EXISTS btree_gin;
    CREATE INDEX employees_search ON employees USING gin (tenant_id, search_text gin_trgm_ops);
  END IF;
EXCEPTION
  -- Not allowed, not allow-listed, files missing, or installed in a schema out of our sight.
  WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
    RAISE NOTICE 'searching employees without an index: %', SQLERRM;
END
$$;
