// Proves a tenant's numbers: shares add up to states, states to scores, counts, blocks and days to rows, the audit log to its head.
import { verifyAudit } from '../audit/verify-audit.ts'
import type { Context } from '../platform/context.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { judgeState } from './judge-state.ts'
import {
  findMiscountedDays,
  findMiscountedEvents,
  findMiscountedPeople,
  findWrongRecords,
  type Miscount,
  readLastEvents,
  readLastHistory,
  readSharesInForce,
  readStates,
} from './verify.queries.ts'
import { verifyBlocks } from './verify-blocks.ts'
import { verifyPast, verifyPastScores } from './verify-past.ts'

export type Finding = { tenant_id: string; employees: number; clean: boolean; faults: string[] }

const CHUNK = 500
const MOST_FAULTS = 50

export async function verifyTenant(context: Context, tenant_id: string): Promise<Finding> {
  const faults: string[] = []
  let employees = 0
  for (let after = ''; faults.length < MOST_FAULTS; ) {
    const chunk = await verifyChunk(context, tenant_id, after, CHUNK)
    faults.push(...chunk.faults)
    employees += chunk.ids.length
    if (chunk.ids.length < CHUNK) break
    after = chunk.ids.at(-1)!
  }
  faults.push(...(await verifyCounts(context, tenant_id)))
  faults.push(...(await verifyBlocks(context, tenant_id)))
  faults.push(...(await verifyPast(context, tenant_id)))
  const audit = await verifyAudit(context, tenant_id, null)
  if (!audit.valid) faults.push(`audit log: ${audit.fault}`)
  return { tenant_id, employees, clean: faults.length === 0, faults: faults.slice(0, MOST_FAULTS) }
}

/** One still picture of a few employees, so that live changes do not look like faults. */
export async function verifyChunk(
  { db, clock }: Context,
  tenant_id: string,
  after: string,
  limit: number,
): Promise<{ ids: string[]; faults: string[] }> {
  return db.readTenant(tenant_id, async tx => {
    const basis = await readScoringBasis(tx, tenant_id)
    const rows = await readStates(tx, tenant_id, after, limit)
    const ids = rows.map(row => row.employee_id)
    const [shares, last, events, wrong, pasts] = await Promise.all([
      readSharesInForce(tx, tenant_id, ids),
      readLastHistory(tx, tenant_id, ids),
      readLastEvents(tx, tenant_id, ids),
      findWrongRecords(tx, tenant_id, ids),
      verifyPastScores(tx, tenant_id, ids, clock.now()),
    ])
    const lastOf = new Map(last.map(row => [row.employee_id, row]))
    const eventsOf = new Map(events.map(row => [row.employee_id, row]))
    const faults = rows.flatMap(row => {
      const { employee_id: id } = row
      return judgeState(row, shares.get(id) ?? [], lastOf.get(id), eventsOf.get(id), basis)
    })
    faults.push(
      ...wrong.map(row => `${row.event_id}: its impact or its rules are not those of its shares`),
    )
    return { ids, faults: [...faults, ...pasts] }
  })
}

async function verifyCounts({ db }: Context, tenant_id: string): Promise<string[]> {
  const describe = (what: string) => (one: Miscount) =>
    `${what} "${one.cell}": kept ${one.kept}, there are ${one.counted}`
  return db.readTenant(tenant_id, async tx => {
    const people = await findMiscountedPeople(tx, tenant_id)
    const events = await findMiscountedEvents(tx, tenant_id)
    const days = await findMiscountedDays(tx, tenant_id)
    return [
      ...people.map(describe('people')),
      ...events.map(describe('events')),
      ...days.map(describe('events of day')),
    ]
  })
}
