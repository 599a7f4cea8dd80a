// The tables of the usual way, filled to the same size as ours.
import type { Context } from '../server/src/platform/context.ts'
import type { Company } from './company.ts'
import { TYPES } from './company.ts'

export async function fillUsualTables({ db }: Context, company: Company, events: number): Promise<void> {
  const { sql } = db
  const [there] = await sql<{ there: boolean }[]>`SELECT to_regclass('usual_ready') IS NOT NULL AS there`
  if (there?.there) return
  await sql.unsafe(`
    DROP TABLE IF EXISTS usual_employees, usual_rules, usual_events, usual_history, usual_outbox;
    CREATE TABLE usual_employees (employee_id text PRIMARY KEY, email text UNIQUE, risk float8 NOT NULL,
      recovery float8 NOT NULL, as_of timestamptz NOT NULL, score int NOT NULL);
    CREATE INDEX ON usual_employees (score);
    CREATE TABLE usual_rules (rule_id text PRIMARY KEY, event_type text NOT NULL, impact int NOT NULL,
      cooldown_ms bigint NOT NULL);
    CREATE INDEX ON usual_rules (event_type);
    CREATE TABLE usual_events (event_id text PRIMARY KEY, employee_id text NOT NULL, type text NOT NULL,
      timestamp timestamptz NOT NULL, impact int NOT NULL, rule_id text, details jsonb NOT NULL);
    CREATE INDEX ON usual_events (employee_id, rule_id, timestamp);
    CREATE INDEX ON usual_events (timestamp);
    CREATE INDEX ON usual_events (type, timestamp);
    CREATE TABLE usual_history (employee_id text NOT NULL, at timestamptz NOT NULL, score int NOT NULL, event_id text);
    CREATE INDEX ON usual_history (employee_id, at);
    CREATE TABLE usual_outbox (event_id text NOT NULL, body text NOT NULL, due_at timestamptz);
    CREATE INDEX ON usual_outbox (due_at);`)
  await sql`INSERT INTO usual_employees SELECT 'emp_' || i, 'person' || i || '@bench.example', 0, 0, now(), 75
    FROM generate_series(0, ${company.employees - 1}) i`
  await sql`INSERT INTO usual_rules SELECT 'rule_' || t || '_' || n, t, -5, 86400000
    FROM unnest(${[...TYPES]}::text[]) t, generate_series(1, 5) n`
  await sql`SET statement_timeout = 0`
  await sql`INSERT INTO usual_events
    SELECT 'evt_' || i, 'emp_' || (i * 7919 % ${company.employees}), (${[...TYPES]}::text[])[1 + i % 8],
      now() - (i % 15552000) * interval '1 second', -5, 'rule_old', '{"campaign":"spring"}'
    FROM generate_series(1, ${events}) i`
  await sql`ANALYZE`
  await sql`CREATE TABLE usual_ready ()`
}
