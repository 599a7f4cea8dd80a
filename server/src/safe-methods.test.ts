// Reading changes nothing: every table is the same before and after every GET and HEAD there is.
import { expect, test } from 'vitest'
import { signIn } from '../test/people.ts'
import { startService } from '../test/service.ts'
import { MAKERS } from './access/access-matrix.fixture.ts'

/** What counts requests changes with every one; that a person's data were handed out is itself written down. */
const MEASURES = [
  ...['rate_buckets', 'usage_days', 'schema_migrations'],
  ...['audit_entries', 'audit_heads', 'audit_values'],
]

const service = await startService()
const { app, context } = service
const tenant = await service.tenant()
const owner = await signIn(service, tenant.tenant_id)

async function photograph(): Promise<Map<string, string>> {
  const { sql } = context.db
  const tables = await sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`
  const seen = new Map<string, string>()
  for (const { name } of tables.filter(one => !MEASURES.includes(one.name))) {
    const [row] = await sql.unsafe(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS sum FROM ${name} t`,
    )
    seen.set(name, String(row!.sum))
  }
  return seen
}

test('GET and HEAD of every route leave every table as it was', async () => {
  const ids = new Map<string, string>()
  for (const path of ['employees', 'rules', 'events', 'actions', 'webhooks']) {
    ids.set(`/v1/${path}/:id`, await MAKERS[`/v1/${path}/{id}`]!(tenant, `/v1/${path}`))
  }
  const urlOf = (url: string) => {
    const known = [...ids].find(([start]) => url.startsWith(start))
    const filled = known ? url.replace(known[0], known[0].replace(':id', known[1])) : url
    return filled.replaceAll(/:\w+|\*/g, 'none')
  }
  const gets = app.routes.filter(({ method, url }) => method === 'GET' && url !== '/admin/live')
  const before = await photograph()
  expect(before.size).toBeGreaterThan(20)
  let good = 0
  for (const { url } of gets) {
    for (const method of ['GET', 'HEAD'] as const) {
      const bearer = { authorization: `Bearer ${tenant.key}` }
      const headers = url.startsWith('/v1/')
        ? bearer
        : { cookie: owner.cookie(), host: 'bellwether.test' }
      const { statusCode } = await app.server.inject({ method, url: urlOf(url), headers })
      if (statusCode === 200) good++
    }
  }
  expect(good).toBeGreaterThan(60)
  expect([...(await photograph())]).toEqual([...before])
})
