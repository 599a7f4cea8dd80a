// Correctness, judged on the rows: every accepted event is there exactly once, and all numbers follow from them.
import type { Context } from '../server/src/platform/context.ts'
import { findMiscountedEvents, findMiscountedPeople } from '../server/src/verify/verify.queries.ts'
import { verifyChunk, verifyTenant } from '../server/src/verify/verify-tenant.ts'
import type { Check } from './rounds.ts'

const MOST_VERIFIED = 10_000
const CHUNK = 500
const IDS_AT_ONCE = 10_000

export type Accepted = {
  /** Takes the ids of the events out of an answer. */
  note(answer: string): void
  add(id: string): void
  count(): number
  check(): Promise<Check[]>
}

/** Invariant: opened before the first event is sent. */
export async function watchAccepted(context: Context, tenant_id: string): Promise<Accepted> {
  const before = await countSubmitted(context, tenant_id)
  const ids: string[] = []
  return {
    note: answer => {
      for (const [, id] of answer.matchAll(/"id":"(evt_\w+)"/g)) ids.push(id!)
    },
    add: id => void ids.push(id),
    count: () => ids.length,
    check: async () => {
      const distinct = new Set(ids).size
      const found = await countFound(context, tenant_id, ids)
      const more = (await countSubmitted(context, tenant_id)) - before
      return [
        {
          name: 'every accepted event is there exactly once',
          ok: ids.length > 0 && distinct === ids.length && found === distinct && more === distinct,
          detail: `${ids.length} answered, ${found} found by id, ${more} rows more`,
        },
        ...(await checkNumbers(context, tenant_id)),
      ]
    },
  }
}

/** Clean streaks are events of the service's own. */
async function countSubmitted({ db }: Context, tenant_id: string): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`
    SELECT coalesce(sum(events), 0)::int8 AS n FROM all_event_counts
    WHERE tenant_id = ${tenant_id} AND source <> 'engine'`
  return row!.n
}

async function countFound({ db }: Context, tenant_id: string, ids: readonly string[]) {
  let found = 0
  for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
    const [row] = await db.sql<{ n: number }[]>`
      SELECT count(*) AS n FROM events
      WHERE tenant_id = ${tenant_id} AND event_id = ANY(${ids.slice(i, i + IDS_AT_ONCE)}::text[])`
    found += row!.n
  }
  return found
}

/** Everybody, or a sample spread over all ids where they are many; the counts always in full. */
export async function checkNumbers(context: Context, tenant_id: string): Promise<Check[]> {
  const people = await context.db.sql<{ employee_id: string }[]>`
    SELECT employee_id FROM employee_states WHERE tenant_id = ${tenant_id} ORDER BY employee_id`
  if (people.length <= MOST_VERIFIED) {
    const { clean, faults } = await verifyTenant(context, tenant_id)
    return [verdict(`shares, states, counts and audit log of all ${people.length}`, clean, faults)]
  }
  const faults: string[] = []
  const stride = Math.floor((people.length / MOST_VERIFIED) * CHUNK)
  for (let i = 0; i < people.length; i += stride) {
    const after = people[i]!.employee_id
    faults.push(...(await verifyChunk(context, tenant_id, after, CHUNK)).faults)
  }
  const wrong = await context.db.readTenant(tenant_id, async tx => [
    ...(await findMiscountedPeople(tx, tenant_id)),
    ...(await findMiscountedEvents(tx, tenant_id)),
  ])
  return [
    verdict(`shares = state for ${MOST_VERIFIED} of ${people.length}`, faults.length === 0, faults),
    verdict(
      'kept counts = rows',
      wrong.length === 0,
      wrong.map(one => one.cell),
    ),
  ]
}

function verdict(name: string, ok: boolean, faults: readonly string[]): Check {
  return { name, ok, ...(faults[0] === undefined ? {} : { detail: faults[0] }) }
}
