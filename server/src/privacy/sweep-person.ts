// Looks for an erased person in everything written about others, piece by piece; each piece moves the note on.
import { accountKey } from '../accounts/email-address.ts'
import { forgetMember } from '../accounts/forget-member.ts'
import { dropOrphans } from '../accounts/person.queries.ts'
import { findUserByEmail } from '../accounts/users.queries.ts'
import { raisePoliciesVersion } from '../actions/policies.queries.ts'
import { openTraces, tracesPurpose } from '../employees/being-erased.ts'
import { aliasOf } from '../employees/email-address.ts'
import { openSealedAnswer } from '../idempotency/answer-once.ts'
import { emptyAnswers, listSealedAnswers } from '../idempotency/person.queries.ts'
import { SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { inPauses } from '../platform/in-pauses.ts'
import { createIdFinder } from '../platform/many-ids.ts'
import {
  countPasses,
  type Exact,
  idPatterns,
  namesInKey,
  type Traces,
  takeOutTraces,
  tracePatterns,
} from '../platform/mentions.ts'
import { raiseRulesVersion } from '../rules/rules.queries.ts'
import { emptyRows } from './empty-rows.ts'
import {
  type ErasureRow,
  findErasure,
  listColumns,
  listOpenScopes,
  lockSwept,
  readSwept,
  removeSwept,
  rewriteSwept,
  saveErasure,
  takeErasure,
} from './erasures.queries.ts'
import { planSweep, type Target } from './sweep-plan.ts'

/** The most rows of one transaction; the first takes fewer, for nobody knows how large they are. */
const CHUNK = 1000
const FIRST_CHUNK = 50
/** Deliveries are looked at by their key and their person alone, so many for one row that is looked through. */
const DELIVERIES = 20
/** Where the texts themselves are read there may be much to hold. */
const MOST_TEXTS = 200
/** A transaction that takes longer is followed by a smaller one, a quick one by a larger. */
const LONG_MS = 2 * SECOND
const QUICK_MS = SECOND / 2
/** Whoever asked is answered by then, however much the rows hold, and so has the next of the worker its turn. */
const MOST_MS = 10 * SECOND

export function sealTraces(
  { secrets }: Context,
  tenant_id: string,
  employee_id: string,
  traces: Traces,
): string {
  return secrets.seal(JSON.stringify(traces), tracesPurpose(tenant_id, employee_id))
}

/** What is looked for in a pass: roughly by the database where it can, exactly by what judges a text. */
type Look = {
  readonly rough: string | null
  /** Null: it does not name the person. */
  judge(text: string): Exact | null
}

function lookFor(traces: Traces, pass: number): Look {
  if (pass === 0) {
    const patterns = tracePatterns(traces)
    return { rough: patterns.rough, judge: () => patterns }
  }
  const find = createIdFinder(traces.ids)
  const judge = (text: string) => {
    const ids = find(text)
    return ids.length > 0 ? idPatterns(ids) : null
  }
  return { rough: null, judge }
}

/** Opened and made ready once for all pieces of a turn: there may be a hundred thousand ids. */
function createLooks(context: Context, tenant_id: string) {
  let known: { sealed: string | null; pass: number; traces: Traces; look: Look } | null = null
  return (row: ErasureRow) => {
    if (known && known.sealed === row.traces && known.pass === row.pass) return known
    const traces = openTraces(context, tenant_id, row)
    if (!traces) return null
    known = { sealed: row.traces, pass: row.pass, traces, look: lookFor(traces, row.pass) }
    return known
  }
}

/**
 * Empties the messages about the person and their events, then looks through about as many rows as given, for a while. True when it did
 * something and there is more to do.
 */
export async function sweepPerson(
  context: Context,
  tenant_id: string,
  employee_id: string,
  most_rows: number,
  chunk = CHUNK,
): Promise<boolean> {
  const { db, clock } = context
  const until = clock.now() + MOST_MS
  if (await emptyRows(context, tenant_id, employee_id, until, chunk * DELIVERIES)) return true
  const row = await db.inTenant(tenant_id, tx => findErasure(tx, tenant_id, employee_id))
  const traces = row && openTraces(context, tenant_id, row)
  if (!traces) return false
  await dropAccount(context, tenant_id, accountKey(traces.email))
  const targets = planSweep(await db.acrossTenants(listColumns))
  const looks = createLooks(context, tenant_id)
  let size = Math.min(chunk, FIRST_CHUNK)
  for (let read = 0; ; ) {
    const began = clock.now()
    const piece = await db.inTenant(tenant_id, tx =>
      sweepPiece(context, tx, tenant_id, employee_id, targets, looks, size),
    )
    if (piece === null) return false
    read += piece
    const now = clock.now()
    if (read >= most_rows || now >= until) return true
    size = nextSize(size, now - began, chunk)
  }
}

/** How many rows the next transaction looks through. */
export function nextSize(size: number, took_ms: number, most: number): number {
  if (took_ms > LONG_MS) return Math.max(1, Math.floor(size / 4))
  return took_ms < QUICK_MS ? Math.min(most, size * 2) : size
}

/** A removal that was cut off may have left something that looks like a tie to this tenant. */
async function dropAccount(context: Context, tenant_id: string, email_key: string): Promise<void> {
  const { db } = context
  const account = await db.inTenant(RESERVED_TENANT, tx => findUserByEmail(tx, email_key))
  if (!account) return
  await forgetMember(context, tenant_id, account.user_id)
  await db.inTenant(RESERVED_TENANT, tx => dropOrphans(tx, [account.user_id]))
}

/** The rows read, or null when nothing can be done now: it has ended, somebody else is at it, or a job goes first. */
async function sweepPiece(
  context: Context,
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  targets: readonly Target[],
  looks: ReturnType<typeof createLooks>,
  size: number,
): Promise<number | null> {
  const taken = await takeErasure(tx, tenant_id, employee_id)
  const row = taken && inOnePass(taken)
  const known = row && looks(row)
  if (!known) return null
  const { traces, look } = known
  const chunk = look.rough === null ? Math.min(size, MOST_TEXTS) : size
  // What a job was asked for must stay until it has ended, and what it writes is looked through after it.
  if (row.table_name === '' && (await isAskedFor(tx, tenant_id, look))) return null
  const place = targets.findIndex(target => target.table === row.table_name)
  const target = targets[Math.max(0, place)]!
  const cursor = row.cursor === '' ? null : (JSON.parse(row.cursor) as string[])
  const rows = await readSwept(tx, tenant_id, target, cursor, look.rough, chunk)
  const judged = await inPauses(rows, one => one.suspect && look.judge(one.text))
  let changed = 0
  for (const [i, { key }] of rows.entries()) {
    const exact = judged[i]
    if (exact && (await takeOut(tx, tenant_id, target, JSON.parse(key), exact, employee_id)))
      changed++
  }
  if (changed > 0) await refresh(tx, tenant_id, target)
  const isLast = rows.length < chunk
  if (isLast && target.table === 'idempotent_answers') {
    await emptySealed(context, tx, tenant_id, look)
  }
  const next = {
    ...row,
    rows_read: row.rows_read + rows.length,
    rows_changed: row.rows_changed + changed,
  }
  const moved = isLast
    ? nextTable(next, targets, targets.indexOf(target), countPasses(traces), context.clock.now())
    : { ...next, table_name: target.table, cursor: rows.at(-1)!.key }
  await saveErasure(tx, tenant_id, moved)
  return rows.length
}

/** An earlier release looked for a hundred ids in each of many passes. */
function inOnePass(row: ErasureRow): ErasureRow {
  return row.pass > 1 ? { ...row, pass: 1, table_name: '', cursor: '' } : row
}

async function isAskedFor(tx: Tx, tenant_id: string, look: Look): Promise<boolean> {
  const scopes = await listOpenScopes(tx, tenant_id, look.rough ?? '')
  return scopes.some(scope => isNamed(scope, look))
}

function isNamed(text: string, look: Look): boolean {
  const exact = look.judge(text)
  return exact !== null && takeOutTraces(text, exact, '') !== text
}

/** False when the row does not name the person after all. */
async function takeOut(
  tx: Tx,
  tenant_id: string,
  target: Target,
  key: string[],
  patterns: Exact,
  employee_id: string,
): Promise<boolean> {
  const { fields, emptied } = target
  const texts = (await lockSwept(tx, tenant_id, target, key)) ?? []
  const freed = fields.map((field, i) => {
    const text = texts[i] ?? null
    const free = text === null ? null : takeOutTraces(text, patterns, aliasOf(employee_id))
    return { ...field, text: free, named: free !== text }
  })
  const chosen = texts.slice(fields.length).some(text => namesInKey(text ?? '', patterns))
  const named = freed.filter(field => field.named)
  if (!chosen && named.length === 0) return false
  if (chosen) await removeSwept(tx, tenant_id, target, key)
  else {
    const empty = fields.filter(({ name }) => emptied.includes(name))
    const changed = [
      ...named.filter(({ name }) => !emptied.includes(name)),
      ...empty.map(field => ({ ...field, text: null })),
    ]
    await rewriteSwept(tx, tenant_id, target, key, changed)
  }
  return true
}

/** Rules and policies are kept compiled by every process. */
async function refresh(tx: Tx, tenant_id: string, { table }: Target): Promise<void> {
  if (table === 'rules') await raiseRulesVersion(tx, tenant_id)
  if (table === 'action_policies') await raisePoliciesVersion(tx, tenant_id)
}

function nextTable(
  row: ErasureRow,
  targets: readonly Target[],
  done: number,
  passes: number,
  now: number,
): ErasureRow {
  const table = targets[done + 1]?.table
  if (table !== undefined) return { ...row, table_name: table, cursor: '' }
  if (row.pass + 1 < passes) return { ...row, pass: row.pass + 1, table_name: '', cursor: '' }
  return { ...row, traces: null, cursor: '', finished_at: new Date(now) }
}

/** Answers that hold a secret are kept under seal; they are opened to be looked through, and go where that fails. */
async function emptySealed(context: Context, tx: Tx, tenant_id: string, look: Look): Promise<void> {
  const sealed = await listSealedAnswers(tx, tenant_id)
  const named = sealed.filter(({ request, answer }) => {
    const text = openSealedAnswer(context, tenant_id, request, answer)
    return text === null || isNamed(text, look)
  })
  const requests = named.map(one => one.request)
  if (requests.length > 0) await emptyAnswers(tx, tenant_id, requests)
}
