// Looks for an erased person in everything written about others, piece by piece; each piece moves the note on.
import { accountKey } from './accounts/email-address.ts'
import { forgetMember } from './accounts/forget-member.ts'
import { dropOrphan } from './accounts/person.queries.ts'
import { findUserByEmail } from './accounts/users.queries.ts'
import { raisePoliciesVersion } from './actions/policies.queries.ts'
import { aliasOf } from './employees/email-address.ts'
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
import { openSealedAnswer } from './idempotency/answer-once.ts'
import { emptyAnswers, listSealedAnswers } from './idempotency/person.queries.ts'
import { SECOND } from './platform/clock.ts'
import type { Context } from './platform/context.ts'
import { RESERVED_TENANT, type Tx } from './platform/database.ts'
import {
  countPasses,
  namesInKey,
  type TracePatterns,
  type Traces,
  takeOutTraces,
  tracePatterns,
} from './platform/mentions.ts'
import { openOrNull } from './platform/secrets.ts'
import { raiseRulesVersion } from './rules/rules.queries.ts'
import { planSweep, type Target } from './sweep-plan.ts'

/** The most rows of one transaction; the first takes fewer, for nobody knows how large they are. */
const CHUNK = 1000
const FIRST_CHUNK = 50
/** A transaction that takes longer is followed by a smaller one, a quick one by a larger. */
const LONG_MS = 2 * SECOND
const QUICK_MS = SECOND / 2
/** Whoever asked is answered by then, however much the rows hold, and so has the next of the worker its turn. */
const MOST_MS = 10 * SECOND

export const tracesPurpose = (tenant_id: string, employee_id: string) =>
  `erasure ${tenant_id} ${employee_id}`

export function sealTraces(
  { secrets }: Context,
  tenant_id: string,
  employee_id: string,
  traces: Traces,
): string {
  return secrets.seal(JSON.stringify(traces), tracesPurpose(tenant_id, employee_id))
}

/** Null when it has ended, or the key that sealed them is gone: then it waits for that key. */
export function openTraces(
  { secrets }: Context,
  tenant_id: string,
  { employee_id, traces }: ErasureRow,
): Traces | null {
  const text = traces && openOrNull(secrets, traces, tracesPurpose(tenant_id, employee_id))
  return text ? JSON.parse(text) : null
}

/** Looks through about as many rows as given, for a while. True when it did something and there is more to do. */
export async function sweepPerson(
  context: Context,
  tenant_id: string,
  employee_id: string,
  most_rows: number,
  chunk = CHUNK,
): Promise<boolean> {
  const { db, clock } = context
  const until = clock.now() + MOST_MS
  const row = await db.inTenant(tenant_id, tx => findErasure(tx, tenant_id, employee_id))
  const traces = row && openTraces(context, tenant_id, row)
  if (!traces) return false
  await dropAccount(context, tenant_id, accountKey(traces.email))
  const targets = planSweep(await db.acrossTenants(listColumns))
  let size = Math.min(chunk, FIRST_CHUNK)
  for (let read = 0; ; ) {
    const began = clock.now()
    const piece = await db.inTenant(tenant_id, tx =>
      sweepPiece(context, tx, tenant_id, employee_id, targets, size),
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
  await db.inTenant(RESERVED_TENANT, tx => dropOrphan(tx, email_key))
}

/** The rows read, or null when nothing can be done now: it has ended, somebody else is at it, or a job goes first. */
async function sweepPiece(
  context: Context,
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  targets: readonly Target[],
  chunk: number,
): Promise<number | null> {
  const row = await takeErasure(tx, tenant_id, employee_id)
  const traces = row && openTraces(context, tenant_id, row)
  if (!traces) return null
  const patterns = tracePatterns(traces, row.pass)
  // What a job was asked for must stay until it has ended, and what it writes is looked through after it.
  if (row.table_name === '' && (await isAskedFor(tx, tenant_id, patterns))) return null
  const place = targets.findIndex(target => target.table === row.table_name)
  const target = targets[Math.max(0, place)]!
  const cursor = row.cursor === '' ? null : (JSON.parse(row.cursor) as string[])
  const rows = await readSwept(tx, tenant_id, target, cursor, patterns.rough, chunk)
  let changed = 0
  for (const { key } of rows.filter(one => one.suspect)) {
    const found = await takeOut(tx, tenant_id, target, JSON.parse(key), patterns, employee_id)
    if (found) changed++
  }
  if (changed > 0) await refresh(tx, tenant_id, target)
  const isLast = rows.length < chunk
  if (isLast && target.table === 'idempotent_answers') {
    await emptySealed(context, tx, tenant_id, patterns)
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

async function isAskedFor(tx: Tx, tenant_id: string, patterns: TracePatterns): Promise<boolean> {
  const scopes = await listOpenScopes(tx, tenant_id, patterns.rough)
  return scopes.some(scope => takeOutTraces(scope, patterns, '') !== scope)
}

/** False when the row does not name the person after all. */
async function takeOut(
  tx: Tx,
  tenant_id: string,
  target: Target,
  key: string[],
  patterns: TracePatterns,
  employee_id: string,
): Promise<boolean> {
  const { fields, emptied, removed } = target
  const texts = (await lockSwept(tx, tenant_id, target, key)) ?? []
  const freed = fields.map((field, i) => {
    const text = texts[i] ?? null
    const free = text === null ? null : takeOutTraces(text, patterns, aliasOf(employee_id))
    return { ...field, text: free, named: free !== text }
  })
  const chosen = texts.slice(fields.length).some(text => namesInKey(text ?? '', patterns))
  const named = freed.filter(field => field.named)
  if (!chosen && named.length === 0) return false
  if (chosen || removed) await removeSwept(tx, tenant_id, target, key)
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
async function emptySealed(
  context: Context,
  tx: Tx,
  tenant_id: string,
  patterns: TracePatterns,
): Promise<void> {
  const sealed = await listSealedAnswers(tx, tenant_id)
  const named = sealed.filter(({ request, answer }) => {
    const text = openSealedAnswer(context, tenant_id, request, answer)
    return text === null || takeOutTraces(text, patterns, '') !== text
  })
  const requests = named.map(one => one.request)
  if (requests.length > 0) await emptyAnswers(tx, tenant_id, requests)
}
