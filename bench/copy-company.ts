// Makes a filled tenant many times larger within the database: everybody again under other ids and names.
import type { Context } from '../server/src/platform/context.ts'
import type { Tx } from '../server/src/platform/database.ts'

/** People are numbered on: the copy of person 7 of 100,000 is person 100,007. */
export async function copyCompany({ db }: Context, people: number, copies: number): Promise<void> {
  await db.sql.begin(async tx => {
    await tx`SET LOCAL statement_timeout = 0`
    await tx`SET LOCAL enable_seqscan = on`
    await tx`SET LOCAL maintenance_work_mem = '512MB'`
    await tx`CREATE TEMP TABLE copied (people integer, copies integer) ON COMMIT DROP`
    await tx`INSERT INTO copied VALUES (${people}, ${copies})`
    await dropIndexes(tx)
    await copyRows(tx)
    await makeIndexes(tx)
  })
}

type Sql = Tx

/** Built afterwards they cost a third. */
async function dropIndexes(tx: Sql): Promise<void> {
  await tx`CREATE TEMP TABLE dropped ON COMMIT DROP AS
    SELECT i.tablename, i.indexname, i.indexdef, pg_get_constraintdef(c.oid) AS key
    FROM pg_indexes i LEFT JOIN pg_constraint c ON c.conname = i.indexname
    WHERE i.tablename IN ('employees', 'employee_states', 'events', 'shares', 'score_history')`
  await tx`DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT * FROM dropped LOOP
      IF one.key IS NULL THEN EXECUTE format('DROP INDEX %I', one.indexname);
      ELSE EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', one.tablename, one.indexname); END IF;
    END LOOP; END $$`
}

async function makeIndexes(tx: Sql): Promise<void> {
  await tx`DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT * FROM dropped LOOP
      IF one.key IS NULL THEN EXECUTE one.indexdef;
      ELSE EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I %s', one.tablename, one.indexname, one.key); END IF;
    END LOOP; END $$`
}

async function copyRows(tx: Sql): Promise<void> {
  await tx`DO $$ DECLARE
      name text; made text; columns text;
      number text := '(substring(x.email FROM 7 FOR position(''@'' IN x.email) - 7)::int + k * c.people)';
    BEGIN
      FOREACH name IN ARRAY ARRAY['employees', 'employee_states', 'events', 'shares', 'score_history'] LOOP
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum), string_agg(CASE attname
            WHEN 'employee_id' THEN 'x.employee_id || k' WHEN 'event_id' THEN 'x.event_id || k'
            WHEN 'email' THEN '''person'' || ' || number || ' || ''@bench.example'''
            WHEN 'email_key' THEN '''person'' || ' || number || ' || ''@bench.example'''
            WHEN 'first_name' THEN '''First'' || ' || number || ' % 997'
            WHEN 'last_name' THEN '''Last'' || ' || number || ' % 9973'
            WHEN 'search_text' THEN 'lower(''First'' || ' || number || ' % 997 || '' Last'' || ' || number
              || ' % 9973 || chr(10) || ''person'' || ' || number || ' || ''@bench.example'')'
            ELSE 'x.' || quote_ident(attname) END, ', ' ORDER BY attnum)
          INTO columns, made
          FROM pg_attribute WHERE attrelid = name::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
        EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I x, copied c, generate_series(1, c.copies) k',
          name, columns, made, name);
      END LOOP;
    END $$`
}
