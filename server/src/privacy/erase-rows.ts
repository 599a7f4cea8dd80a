// What an erasure leaves to be done behind the request: a job that goes through every table, a page in each transaction.
import { endOpenActions } from '../actions/person.queries.ts'
import { aliasOf } from '../employees/email-address.ts'
import { hashAddress } from '../employees/forgotten-addresses.ts'
import { type Instant, SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { TABLES } from '../platform/tables.ts'
import { type JobRow, lockHeldJob, saveJob } from '../replays/jobs.queries.ts'
import { LEASE_MS } from '../replays/run-pieces.ts'
import { stopDeliveries } from '../webhooks/person.queries.ts'
import {
  dependentsOf,
  emptyRows,
  findAddressHash,
  listAddresses,
  type Place,
  readByAddress,
  readPage,
} from './erasure.queries.ts'

/** Rows of one transaction. */
export const PAGE = 5000
/** So long the worker stays with one person before others have their turn. */
const TURN_MS = 5 * SECOND
/** Pages of one address in one transaction: it is looked for anew in each. */
const PAGES_OF_ADDRESS = 20

/** How many rows it was, and where to go on; null: at the next step. */
type Done = { rows: number; next: Place }
type Piece = {
  context: Context
  tx: Tx
  tenant_id: string
  job: JobRow
  after: Place
  page: number
}
type Step = { readonly name: string; run(piece: Piece): Promise<Done> }

const WALKED = Object.entries(TABLES).filter(([, { walk }]) => walk !== undefined)

/** Invariant: a step may be done again, and finds nothing the second time. */
const STEPS: readonly Step[] = [
  { name: 'open_actions', run: endOpen },
  { name: 'addresses', run: forgetAddress },
  ...WALKED.map(([name]) => ({ name, run: (piece: Piece) => emptyPage(name, piece) })),
]

/** True while there is more to do and the job is ours. */
export async function eraseRows(
  context: Context,
  tenant_id: string,
  job: JobRow,
  until: Instant,
  page = PAGE,
): Promise<boolean> {
  const { db, clock } = context
  for (let held: JobRow | null = job; ; ) {
    const known: JobRow = held
    held = await db.inTenant(tenant_id, tx => erasePiece(context, tx, tenant_id, known, page))
    if (!held || held.finished_at !== null) return false
    if (clock.now() >= until) return true
  }
}

/** The work of the job's kind, for the runner. */
export const eraseRowsWork = async (context: Context, tenant_id: string, job: JobRow) => {
  await eraseRows(context, tenant_id, job, context.clock.now() + TURN_MS)
}

/** Null: it is in other hands, or over. */
async function erasePiece(
  context: Context,
  tx: Tx,
  tenant_id: string,
  { job_id, fence }: JobRow,
  page: number,
): Promise<JobRow | null> {
  const job = await lockHeldJob(tx, tenant_id, job_id, fence)
  if (!job) return null
  const { name, after } = readCursor(job.cursor)
  const place = Math.max(
    0,
    STEPS.findIndex(step => step.name === name),
  )
  const { rows, next } = await STEPS[place]!.run({ context, tx, tenant_id, job, after, page })
  const step = next === null ? STEPS[place + 1] : STEPS[place]
  const now = context.clock.now()
  const processed = job.processed + rows
  const over = { status: 'completed', finished_at: new Date(now), total: processed } as const
  const moved: JobRow = {
    ...job,
    processed,
    failures: 0,
    lease_until: new Date(now + LEASE_MS),
    cursor: JSON.stringify({ name: step?.name, after: next }),
    ...(step === undefined ? over : {}),
  }
  await saveJob(tx, tenant_id, moved)
  return moved
}

function readCursor(cursor: string): { name: string; after: Place } {
  return cursor === '' ? { name: STEPS[0]!.name, after: null } : JSON.parse(cursor)
}

async function endOpen({ tx, tenant_id, job, page }: Piece): Promise<Done> {
  const rows = await endOpenActions(tx, tenant_id, job.employee_id!, job.created_at, page)
  // As long as there may be more of the same.
  return { rows, next: rows < page ? null : [] }
}

/** Empties what one address leads to; how many rows it was. */
export async function emptyAddress(
  tx: Tx,
  tenant_id: string,
  email_key: string,
  page: number,
): Promise<number> {
  let most = 0
  for (const { table, column, personal } of BY_ADDRESS) {
    const rows = await readByAddress(tx, tenant_id, table, column, email_key, page)
    const { key: by } = TABLES[table]!
    await emptyRows(tx, tenant_id, { table, by, personal }, rows, '')
    most = Math.max(most, rows.length)
  }
  return most
}

/** Columns that hold an address, and what is left of their rows. */
const BY_ADDRESS = Object.entries(TABLES).flatMap(([table, { subject, personal, named }]) => [
  ...(subject === 'email_key' ? [{ table, column: 'email_key', personal: personal! }] : []),
  ...(named ? [{ table, column: named.by, personal: named.left }] : []),
])

/**
 * The request empties a page of what the address leads to. Where that was not all the address, which nobody knows any
 * more, is found again by its keyed hash.
 */
async function forgetAddress(piece: Piece): Promise<Done> {
  const { tx, tenant_id, job, page } = piece
  const email_key = job.scope.addresses ? await findAddress(piece) : null
  if (email_key === null) return { rows: 0, next: null }
  let rows = 0
  for (let i = 0; i < PAGES_OF_ADDRESS; i++) {
    const some = await emptyAddress(tx, tenant_id, email_key, page)
    rows += some
    if (some < page) return { rows, next: null }
  }
  return { rows, next: [] }
}

async function findAddress({ context, tx, tenant_id, job }: Piece): Promise<string | null> {
  const hash = await findAddressHash(tx, tenant_id, job.job_id)
  if (hash === null) return null
  const isTheirs = (key: string) =>
    hashAddress(context, tenant_id, key).some(one => one.equals(hash))
  for (const { table, column } of BY_ADDRESS) {
    for (let keys = ['']; keys.length > 0; ) {
      keys = await listAddresses(tx, tenant_id, table, column, keys.at(-1)!, PAGE)
      const found = keys.find(isTheirs)
      if (found !== undefined) return found
    }
  }
  return null
}

async function emptyPage(table: string, { tx, tenant_id, job, after, page }: Piece): Promise<Done> {
  const employee_id = job.employee_id!
  const { rows, end } = await readPage(tx, tenant_id, table, employee_id, after, page)
  if (table === 'webhook_deliveries') {
    await stopDeliveries(tx, tenant_id, rows as { webhook_id: string; delivery_id: string }[])
  }
  const { key: by, personal } = TABLES[table]!
  const all = [...dependentsOf(table), ...(personal ? [{ table, by, personal }] : [])]
  for (const one of all) await emptyRows(tx, tenant_id, one, rows, aliasOf(employee_id))
  return { rows: rows.length, next: end }
}
