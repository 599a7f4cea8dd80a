// Export: everything that is stored about somebody, as one JSON object, page by page: memory does not grow with it.
import { Readable } from 'node:stream'
import { requireReaderStill } from '../access/judge-originator.ts'
import { exportActions, listActionIds } from '../actions/person.queries.ts'
import { exportEntries } from '../audit/audit.queries.ts'
import { listSeqsAbout } from '../audit/person.queries.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { emailKey } from '../employees/email-address.ts'
import { exportHistory, exportProfile, listVersions } from '../employees/person.queries.ts'
import {
  countShares,
  type ExportedShare,
  exportEvents,
  exportShares,
  exportUnmatched,
  listKeptEventIds,
  listUnmatchedIds,
} from '../events/person.queries.ts'
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { notFound } from '../platform/errors.ts'
import { createPatientGate } from '../platform/fair-gate.ts'
import { exportMessages, listDeliveryKeys } from '../webhooks/person.queries.ts'

const PAGE = 200
/** Of whom there is no more than this, all of it is read at once. */
const FEW = 1000

/** In a process one page at a time, tenants in turns. */
const inTurn = createPatientGate(1)

/** Runs a question in a transaction of the tenant. */
type Read = <T>(ask: (tx: Tx) => Promise<T>) => Promise<T>
type Pages = AsyncIterable<readonly object[]>
type Found = Awaited<ReturnType<typeof find>>

/**
 * Invariant: what belongs to it was there at one moment. Of few rows all is of that moment; of many each is as it stands
 * when its page is read, so that nothing is held while somebody takes them slowly.
 */
export async function exportPerson(
  { db, clock }: Context,
  tenant_id: string,
  origin: Origin,
  employee_id: string,
  few = FEW,
): Promise<Readable> {
  const now = clock.now()
  const read: Read = ask =>
    inTurn(tenant_id, () =>
      db.readTenant(tenant_id, async tx => {
        await requireReaderStill(tx, tenant_id, origin.actor, 'employees:read', clock.now())
        return ask(tx)
      }),
    )
  const { found, whole } = await read(async tx => {
    const found = await find(tx, tenant_id, employee_id)
    if (found.rows > few) return { found, whole: null }
    const whole: string[] = []
    for await (const text of write(found, tenant_id, employee_id, now, ask => ask(tx)))
      whole.push(text)
    return { found, whole }
  })
  const subject = { subject_kind: 'employee', subject_id: employee_id, employee_id }
  await db.inTenant(tenant_id, tx =>
    recordAudit(tx, tenant_id, now, origin, [{ action: 'employee.exported', ...subject }]),
  )
  return Readable.from(whole ?? write(found, tenant_id, employee_id, now, read))
}

/** Who it is, and the keys of all rows about them. */
async function find(tx: Tx, tenant_id: string, employee_id: string) {
  const employee = await exportProfile(tx, tenant_id, employee_id)
  if (!employee) throw notFound('employee')
  const actions = await listActionIds(tx, tenant_id, employee_id)
  const keys = {
    versions: await listVersions(tx, tenant_id, employee_id),
    events: await listKeptEventIds(tx, tenant_id, employee_id),
    actions,
    unmatched: await listUnmatchedIds(tx, tenant_id, emailKey(employee.email)),
    deliveries: await listDeliveryKeys(tx, tenant_id, employee_id),
    entries: await listSeqsAbout(tx, tenant_id, employee_id),
  }
  const shares = await countShares(tx, tenant_id, employee_id)
  const rows = Object.values(keys).reduce((sum, list) => sum + list.length, shares)
  return { employee, ...keys, rows }
}

async function* write(
  { employee, ...keys }: Found,
  tenant_id: string,
  employee_id: string,
  now: number,
  read: Read,
): AsyncGenerator<string> {
  const head = JSON.stringify({ exported_at: new Date(now), employee })
  yield head.slice(0, -1)
  const by = <K>(list: readonly K[], ask: (tx: Tx, some: K[]) => Promise<readonly object[]>) =>
    pagesOf(read, list, ask)
  const sections: [string, Pages][] = [
    ['score_history', by(keys.versions, (tx, v) => exportHistory(tx, tenant_id, employee_id, v))],
    ['events', by(keys.events, (tx, ids) => exportEvents(tx, tenant_id, ids))],
    ['shares', pagesOfShares(read, tenant_id, employee_id, keys.versions.at(-1) ?? 0)],
    ['actions', by(keys.actions, (tx, ids) => exportActions(tx, tenant_id, ids))],
    ['unmatched_events', by(keys.unmatched, (tx, ids) => exportUnmatched(tx, tenant_id, ids))],
    ['messages', by(keys.deliveries, (tx, some) => exportMessages(tx, tenant_id, some))],
    ['audit', by(keys.entries, (tx, seqs) => readEntries(tx, tenant_id, seqs))],
  ]
  for (const [name, pages] of sections) yield* writeList(name, pages)
  yield '}'
}

async function* writeList(name: string, pages: Pages): AsyncGenerator<string> {
  yield `,"${name}":[`
  let isFirst = true
  for await (const rows of pages) {
    if (rows.length === 0) continue
    yield (isFirst ? '' : ',') + rows.map(row => JSON.stringify(row)).join(',')
    isFirst = false
  }
  yield ']'
}

async function* pagesOf<K>(
  read: Read,
  keys: readonly K[],
  ask: (tx: Tx, some: K[]) => Promise<readonly object[]>,
) {
  for (let i = 0; i < keys.length; i += PAGE) {
    yield await read(tx => ask(tx, keys.slice(i, i + PAGE)))
  }
}

async function* pagesOfShares(read: Read, tenant_id: string, employee_id: string, until: number) {
  let after: ExportedShare | null = null
  for (;;) {
    const behind: ExportedShare | null = after
    const rows: ExportedShare[] = await read(tx =>
      exportShares(tx, tenant_id, employee_id, until, behind, PAGE),
    )
    yield rows.map(({ version: _, ...share }) => share)
    if (rows.length < PAGE) return
    after = rows.at(-1)!
  }
}

/** Where somebody sat who changed the record is not about this person. */
async function readEntries(tx: Tx, tenant_id: string, seqs: number[]) {
  const entries = await exportEntries(tx, tenant_id, seqs)
  return entries.map(({ content, ...entry }) => {
    const { before = null, after = null } = content === null ? {} : JSON.parse(content)
    return { ...entry, before, after }
  })
}
