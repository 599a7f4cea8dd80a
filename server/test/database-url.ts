// Where a test's database is, as DATABASE_URL says it.
import type { PostgresAddress } from '../src/platform/embedded-postgres.ts'

export function databaseUrl({ host, port, user, password, database }: PostgresAddress): string {
  const at = host.startsWith('/') ? encodeURIComponent(host) : host
  return `postgres://${user}:${password}@${at}:${port}/${encodeURIComponent(database)}`
}
