// Forty faults by a seed, under mixed load at two fifths of what the machine can do, with a reader that looks on.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Window } from './arrivals.ts'
import { type Company, openCompany } from './company.ts'
import { judge, untilNothingIsDue, type Verdict } from './judge.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { createLoad, type Load } from './load.ts'
import { startReader } from './reader.ts'
import { type Fault, makeSchedule } from './schedule.ts'
import { type Struck, strike } from './strike.ts'
import { RETURN_LIMIT_MS } from './timing.ts'
import { runVerify } from './verify.ts'
import { openWorld, type World } from './world.ts'

/** One fault as the table shows it. */
export type Row = {
  target: Fault['target']
  kind: Fault['kind']
  refused: number
  unknown: number
  /** From the database's return to the first 2xx of the slowest server; null where it was not away. */
  recovered_ms: number | null
  note: string
}

export type Outcome = {
  seed: number
  at: string
  seconds: number
  capacity: number
  rate: number
  rows: Row[]
  counts: Ledger['counts']
  verdict: Verdict
  faults: string[]
}

const CALLERS = 32
const WARM_UP_MS = 6_000
const CALIBRATION_MS = 6_000
const SHARE = 0.4
const SETTLE_LIMIT_MS = 30_000
const AT_REST_LIMIT_MS = 20_000

/** Of the servers and workers, where something was wrong. */
const LOG = new URL('results/seeded.log', import.meta.url)

export async function runSeeded(seed: number, count: number): Promise<Outcome> {
  const began = Date.now()
  const world = await openWorld()
  const ledger = openLedger()
  const closers: (() => unknown)[] = []
  try {
    const { link } = world.receiver
    const url = `http://127.0.0.1:${link.port}/hook`
    const busy = await openCompany(world.context, 'Busy', 400, url)
    const quiet = await openCompany(world.context, 'Quiet', 12, url)
    await Promise.all([
      ...['server 1', 'server 2'].map(name => world.startPart(name, { works: false })),
      ...['worker 1', 'worker 2'].map(name => world.startPart(name, { serves: false })),
    ])
    const serving = () => world.parts.filter(part => part.serves)
    const load = createLoad(busy, quiet, serving, ledger, seed)
    closers.push(load.drop)
    const capacity = await calibrate(world, load, [busy, quiet])
    const rate = capacity * SHARE
    say(
      `capacity ${Math.round(capacity)} requests/s with all they cause; ${Math.round(rate)} are sent`,
    )
    load.start(rate)
    const reader = startReader(world, serving, ledger, { quiet, busy })
    closers.push(reader.stop)
    const { rows, windows } = await strikeAll(
      world,
      ledger,
      [busy, quiet],
      makeSchedule(seed, count),
    )
    await sleep(1_000)
    await reader.stop()
    await load.stop(SETTLE_LIMIT_MS)
    const verdict = await judge(world, [busy, quiet], ledger, windows)
    const faults = [...ledger.wrong, ...verdict.faults, ...(await runVerify(world))]
    if (faults.length > 0) world.keepLog(LOG)
    const seconds = Math.round((Date.now() - began) / 1000)
    const at = new Date(began).toISOString()
    const { counts } = ledger
    return { seed, at, seconds, capacity, rate, rows, counts, verdict, faults }
  } finally {
    for (const close of closers) await close()
    await ledger.close()
    await world.close()
  }
}

/** What the machine can do in all: requests, and the delivery of everything they cause. */
async function calibrate(world: World, load: Load, companies: readonly Company[]): Promise<number> {
  // The first seconds of a process are slow; they say nothing of the machine.
  await load.rush(CALLERS, WARM_UP_MS)
  await untilNothingIsDue(world, companies)
  const began = performance.now()
  const done = await load.rush(CALLERS, CALIBRATION_MS)
  say(`${done} requests in ${Math.round(performance.now() - began)} ms`)
  const left = await untilNothingIsDue(world, companies)
  if (left !== '') say(`after the calibration there still was: ${left}`)
  return done / ((performance.now() - began) / 1000)
}

async function strikeAll(
  world: World,
  ledger: Ledger,
  companies: readonly Company[],
  faults: readonly Fault[],
): Promise<{ rows: Row[]; windows: Window[] }> {
  const rows: Row[] = []
  const windows: Window[] = []
  for (const [i, fault] of faults.entries()) {
    await sleep(fault.rest_ms)
    const { refused, unknown } = ledger.counts
    const wrong = ledger.wrong.length
    const leased = await countLeased(world, companies)
    const struck = await strike(world, fault)
    const { name, began, ended, note } = struck
    windows.push({ name: `${i + 1}. ${name}`, began, ended, leased })
    const recovered_ms = await untilAnswered(world, ledger, struck)
    const row: Row = {
      target: fault.target,
      kind: fault.kind,
      recovered_ms,
      note,
      refused: ledger.counts.refused - refused,
      unknown: ledger.counts.unknown - unknown,
    }
    rows.push(row)
    say(`${i + 1}. ${name}: ${showRow(row)}`)
    for (const one of ledger.wrong.slice(wrong)) say(`   WRONG ${one}`)
  }
  return { rows, windows }
}

const showRow = ({ refused, unknown, recovered_ms, note }: Row) =>
  [
    `${refused} refused, ${unknown} unknown`,
    ...(recovered_ms === null ? [] : [`back after ${recovered_ms} ms`]),
    ...(note === '' ? [] : [note]),
  ].join(', ')

/** Every server answers again; after a return of the database it has little time for it. */
async function untilAnswered(world: World, ledger: Ledger, struck: Struck): Promise<number | null> {
  const since = struck.returned ?? Date.now()
  const limit = since + AT_REST_LIMIT_MS
  for (const { process, serves } of world.parts) {
    if (!serves) continue
    while ((ledger.lastGood.get(process.name) ?? 0) < since && Date.now() < limit) await sleep(20)
  }
  const servers = world.parts.filter(part => part.serves).map(part => part.process.name)
  const first = Math.max(...servers.map(name => ledger.lastGood.get(name) ?? 0)) - since
  const took = Date.now() - since
  if (took > (struck.returned === null ? AT_REST_LIMIT_MS : RETURN_LIMIT_MS)) {
    ledger.note(`${struck.name}: no 2xx from every server for ${took} ms after its end`)
  }
  return struck.returned === null ? null : Math.max(0, Math.min(took, first))
}

export async function countLeased(world: World, companies: readonly Company[]): Promise<number> {
  let all = 0
  for (const { tenant_id } of companies) {
    const [row] = await world.context.db.inTenant(
      tenant_id,
      tx => tx<{ n: number }[]>`SELECT count(*) AS n FROM webhook_deliveries
        WHERE tenant_id = ${tenant_id} AND fence IS NOT NULL`,
    )
    all += row!.n
  }
  return all
}

export function say(text: string): void {
  process.stderr.write(`  ${text}\n`)
}
