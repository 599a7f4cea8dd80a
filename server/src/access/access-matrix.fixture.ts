// What the access matrix needs of each kind of resource: a real one of a tenant, made through the API.
import { countInFile } from '../../test/after-file.ts'
import type { Tenant } from '../../test/service.ts'

/** Makes the resource and returns what stands for the path parameter; `path` is filled up to it. */
export type Maker = (tenant: Tenant, path: string) => Promise<string>

const nextNumber = countInFile()

type Made = { id: string; email: string; job_id: string }

async function create(tenant: Tenant, path: string, body?: unknown): Promise<Made> {
  const answer = await tenant.call('POST', path, body)
  if (answer.status > 299) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function createEmployee(tenant: Tenant, email = `person${nextNumber()}@example.com`) {
  return create(tenant, '/v1/employees', { email, first_name: 'Ada', last_name: 'Moss' })
}

async function createWebhook(tenant: Tenant) {
  const url = 'https://hooks.example.com/bellwether'
  return create(tenant, '/v1/webhooks', { url, events: ['score.updated'] })
}

/** One job at a time is all a tenant may have, so the first one made serves every question. */
function onceFor(make: Maker): Maker {
  const known = new Map<string, Promise<string>>()
  return (tenant, path) => {
    const job = known.get(tenant.tenant_id) ?? make(tenant, path)
    known.set(tenant.tenant_id, job)
    return job
  }
}

/** By the path up to the parameter. Invariant: every path parameter of the API has its line here. */
export const MAKERS: Record<string, Maker> = {
  '/v1/employees/{id}': async tenant => (await createEmployee(tenant)).id,
  '/v1/employees/by-email/{email}': async tenant => (await createEmployee(tenant)).email,
  '/v1/rules/{id}': async tenant => {
    const rule = { name: 'Matrix', event_type: 'sim.matrix', category: 'email', impact: -5 }
    return (await create(tenant, '/v1/rules', rule)).id
  },
  '/v1/rules/recalculate/{job_id}': onceFor(
    async (tenant, path) => (await create(tenant, path, { scope: 'all' })).job_id,
  ),
  '/v1/events/retract/{job_id}': onceFor(async (tenant, path) => {
    const filter = { type: 'custom.nothing' }
    return (await create(tenant, path, { reason: 'matrix', filter })).job_id
  }),
  '/v1/events/{id}': async tenant => {
    const { email } = await createEmployee(tenant)
    const event = { type: 'custom.matrix', employee_email: email }
    return (await create(tenant, '/v1/events', event)).id
  },
  '/v1/events/unmatched/{id}': async tenant => {
    const email = `late${nextNumber()}@example.com`
    const event = { source: 'matrix', event_type: 'auth.matrix', employee: { email } }
    await tenant.call('POST', '/v1/events/webhook', event)
    await createEmployee(tenant, email)
    const { body } = await tenant.call('GET', '/v1/events/unmatched?per_page=100')
    type Unmatched = { id: string; employee: { email: string } }
    return body.data.find((one: Unmatched) => one.employee.email === email).id
  },
  '/v1/actions/{id}': async tenant => {
    const { id: employee_id } = await createEmployee(tenant)
    return (await create(tenant, '/v1/actions', { employee_id, type: 'open_ticket' })).id
  },
  '/v1/webhooks/{id}': async tenant => (await createWebhook(tenant)).id,
  '/v1/webhooks/deliveries/{id}': async tenant => {
    const { id } = await createWebhook(tenant)
    return (await create(tenant, `/v1/webhooks/${id}/test`)).id
  },
  // Entries are numbered in each log: a number beyond those of others.
  '/v1/audit/{seq}': async tenant => {
    await createEmployee(tenant)
    return String((await tenant.call('GET', '/v1/audit?per_page=1')).body.data[0].seq)
  },
  '/v1/webhooks/{id}/recover/{recovery_id}': async (tenant, path) =>
    (await create(tenant, path, { since: '2026-03-01T00:00:00Z' })).id,
}

/** Parameters of resources that the API itself cannot make, each with its reason. */
export const NOT_MADE_HERE: Record<string, string> = {
  '/v1/actions/{id}/approve': 'no key can approve anything: 403 whatever the id',
  '/v1/actions/{id}/reject': 'no key can reject anything: 403 whatever the id',
}

/** Fills a path with resources of the tenant, from left to right; `absent` names none of anybody. */
export async function fillWith(
  tenant: Tenant,
  path: string,
): Promise<{ url: string; absent: string }> {
  const pieces = path.split(/(?<=\})/)
  let [url, absent] = ['', '']
  for (let i = 0; i < pieces.length; i++) {
    const [before, parameter] = pieces[i]!.split('{')
    url += before
    absent += before
    if (parameter === undefined) continue
    const make = MAKERS[pieces.slice(0, i + 1).join('')]
    if (!make) throw new Error(`say in MAKERS how to make what ${path} is about`)
    const value = await make(tenant, url.replace(/\/$/, ''))
    url += encodeURIComponent(value)
    absent += encodeURIComponent(value.includes('@') ? `no-${value}` : `${value}0`)
  }
  return { url, absent }
}
