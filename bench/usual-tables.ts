// The tables of the usual way, filled to the same size as ours.
import type { Context } from '../server/src/platform/context.ts'
import { type Filled, say, TYPES } from './fill-company.ts'

export async function fillUsualTables({ db }: Context, size: Filled): Promise<void> {
  say('tables of the usual way')
  const { employees, events } = size
  await db.sql`
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
    CREATE INDEX ON usual_outbox (due_at);`
  await db.sql.begin(async tx => {
    await tx`SET LOCAL statement_timeout = 0`
    await tx`INSERT INTO usual_employees SELECT 'emp_' || i, 'person' || i || '@bench.example', -20, 5, now(), 60
      FROM generate_series(0, ${employees - 1}::int) i`
    await tx`INSERT INTO usual_rules SELECT 'rule_' || t || '_' || n, t, -2, 86400000
      FROM unnest(${[...TYPES]}::text[]) t, generate_series(1, 5) n`
    await tx`INSERT INTO usual_events
      SELECT 'evt_' || i, 'emp_' || (i::bigint * 7919 % ${employees}::int), (${[...TYPES]}::text[])[1 + i % 8],
        now() - (1 + i % 5184000) * interval '1 second', -10, 'rule_' || (${[...TYPES]}::text[])[1 + i % 8] || '_1',
        '{"campaign":"spring","severity":"low"}'
      FROM generate_series(1, ${events}::int) i`
    await tx`INSERT INTO usual_history SELECT employee_id, timestamp, 60, event_id FROM usual_events`
  })
}

export async function countUsual({ db }: Context): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`SELECT count(*) AS n FROM usual_events`
  return row!.n
}
