// A score over time is read as of one moment, whatever is committed between two statements of the reading.
import { beforeAll, expect, it } from 'vitest'
import { signIn } from '../test/people.ts'
import { hire, ingest, runJobs, setSettings } from '../test/scenario.ts'
import { type Service, startService, type Tenant } from '../test/service.ts'
import type { Tx } from './platform/database.ts'

let service: Service
let tenant: Tenant
let id: string
let person: Awaited<ReturnType<typeof signIn>>
/** What is committed just before the rows of history are read; once. */
let meanwhile: (() => Promise<unknown>) | null = null

beforeAll(async () => {
  service = await startService({}, { wrap: interrupt })
  tenant = await service.tenant()
  ;[id] = (await hire(service, tenant, ['ada@example.com'])) as [string]
  person = await signIn(service, tenant.tenant_id)
  await ingest(service, tenant, [{ email: 'ada@example.com', type: 'sim.link_clicked' }])
})

function interrupt<T>(tx: Tx, todo: (tx: Tx) => Promise<T>): Promise<T> {
  const tagged = (first: TemplateStringsArray, ...values: never[]) => {
    const happens = meanwhile
    if (!first.raw?.join('').includes('width_bucket') || !happens) return tx(first, ...values)
    meanwhile = null
    return happens().then(() => tx(first, ...values))
  }
  return todo(Object.assign(tagged, tx) as unknown as Tx)
}

type Point = { score: number }

const scores = (points: readonly Point[]) => points.map(point => point.score)

async function detail(url: string): Promise<number[]> {
  return scores((await tenant.call('GET', url)).body.score_history)
}

async function history(): Promise<number[]> {
  return scores((await tenant.call('GET', `/v1/employees/${id}/score-history`)).body.data)
}

async function sparkline(): Promise<number[]> {
  return (await person.call('GET', `/admin/employees/sparklines?ids=${id}`)).body.data[0].scores
}

it.each([
  ['the detail view', () => detail(`/v1/employees/${id}`), 30],
  ['the lookup by email', () => detail('/v1/employees/by-email/ada@example.com'), 40],
  ['the score history', history, 50],
  ['the line of a list', sparkline, 60],
])('%s, while settings change and everyone is recalculated', async (_name, read, start) => {
  const before = await read()
  service.clock.advance(1)
  meanwhile = async () => {
    await setSettings(service, tenant, { starting_score: start })
    await runJobs(service)
  }
  expect(await read()).toEqual(before)
  expect(meanwhile).toBeNull()
  expect(await read()).toEqual([start - 25])
})
