// A closer look at a run: which statements took PostgreSQL's time, where pg_stat_statements was loaded for it.
import type { Context } from '../server/src/platform/context.ts'

export type Settings = Record<string, string>

/** More settings of PostgreSQL for one run: BENCH_POSTGRES="name=value name=value". */
export function readSettings(): Settings {
  const pairs = (process.env.BENCH_POSTGRES ?? '').split(' ').filter(pair => pair !== '')
  return Object.fromEntries(pairs.map(pair => pair.split('=') as [string, string]))
}

const isWatched = (settings: Settings) =>
  settings.shared_preload_libraries?.includes('pg_stat_statements') ?? false

export async function watchStatements({ db }: Context, settings: Settings): Promise<void> {
  if (!isWatched(settings)) return
  await db.sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`
  await db.sql`SELECT pg_stat_statements_reset()`
}

export async function showStatements({ db }: Context, settings: Settings): Promise<void> {
  if (!isWatched(settings)) return
  await db.sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`
  const rows = await db.sql`SELECT round(total_exec_time + total_plan_time) AS ms, calls, rows,
      round(((total_exec_time + total_plan_time) / calls)::numeric, 3) AS each, round(wal_bytes / 1024) AS wal_kb,
      left(regexp_replace(query, '[[:space:]]+', ' ', 'g'), 90) AS statement
    FROM pg_stat_statements WHERE calls > 0 ORDER BY 1 DESC LIMIT 25`
  console.table(rows.map(row => ({ ...row })))
}
