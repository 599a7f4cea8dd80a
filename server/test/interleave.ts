// Two sessions on the real database whose statements are let through one at a time, in orders that a test chooses.
import { setTimeout as sleep } from 'node:timers/promises'
import { between, createRandom } from '../src/demo/random.ts'
import type { Context } from '../src/platform/context.ts'
import type { Database, Tx } from '../src/platform/database.ts'
import { PATIENCE_MS } from './patience.ts'
import type { Service } from './service.ts'

/** A side of the contest; it works with its own context and nothing else. */
export type Side<T> = (context: Context) => Promise<T>

export type Order = {
  /** How many statements the first side is ahead, and how many the second then gets. */
  readonly first: number
  readonly second: number
}

/** Rewrites the text of statements, to show that a test would notice. */
export type Change = (text: string) => string

export type Ended<A, B> = {
  first: PromiseSettledResult<A>
  second: PromiseSettledResult<B>
  /** Statements of each, commits included. */
  counts: [number, number]
}

type Gate = ReturnType<typeof createGate>

function createGate() {
  const waiting: (() => void)[] = []
  const gate = {
    waiting,
    pid: 0,
    /** Let through and not yet answered. */
    running: 0,
    passed: 0,
    done: false,
    isOver: false,
    pass: () =>
      new Promise<void>(open => {
        waiting.push(open)
        if (gate.isOver) gate.open()
      }),
    open(): void {
      gate.passed++
      gate.running++
      waiting.shift()!()
    },
    /** What a side still does in the background goes on: at its gate it would hold its locks for ever. */
    end(): void {
      gate.isOver = true
      while (waiting.length > 0) gate.open()
    },
    isParked: () => gate.running === 0 && waiting.length > 0,
  }
  return gate
}

/** Every statement waits at the gate when it is awaited, and the commit after the last of them. */
function gateDatabase(db: Database, gate: Gate, change: Change): Database {
  return {
    ...db,
    inTenant: (tenant_id, work) =>
      db.inTenant(tenant_id, async tx => {
        const [row] = await tx<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
        gate.pid = row!.pid
        const done = await work(gateStatements(tx, gate, change))
        await gate.pass()
        gate.running--
        return done
      }),
  }
}

function gateStatements(tx: Tx, gate: Gate, change: Change): Tx {
  const gated = (first: TemplateStringsArray, ...values: unknown[]) => {
    if (!first.raw) return tx(first as never, ...(values as never[]))
    const query = tx(rewrite(first, change), ...(values as never[])) as any
    const run = query.then.bind(query)
    let begun: Promise<unknown> | undefined
    const begin = async () => {
      await gate.pass()
      try {
        return await new Promise((ok, no) => run(ok, no))
      } finally {
        gate.running--
      }
    }
    // biome-ignore lint/suspicious/noThenProperty: a query of the driver runs when it is awaited.
    query.then = (ok: never, no: never) => {
      begun ??= begin()
      return begun.then(ok, no)
    }
    return query
  }
  return Object.assign(gated, tx) as unknown as Tx
}

function rewrite(strings: TemplateStringsArray, change: Change): TemplateStringsArray {
  const parts = strings.map(change)
  return parts.every((part, i) => part === strings[i])
    ? strings
    : Object.assign(parts, { raw: parts })
}

/** Runs both sides in one order; where the chosen one waits for a lock, the other goes on. */
export async function interleave<A, B>(
  service: Service,
  first: Side<A>,
  second: Side<B>,
  order: Order,
  change: Change = text => text,
): Promise<Ended<A, B>> {
  const gates: [Gate, Gate] = [createGate(), createGate()]
  const open = (gate: Gate) => {
    return { ...service.context, db: gateDatabase(service.context.db, gate, change) }
  }
  const ended = Promise.all([
    settled(gates[0], first(open(gates[0]))),
    settled(gates[1], second(open(gates[1]))),
  ])
  for (;;) {
    await comeToRest(service, gates)
    if (gates.every(gate => gate.done)) break
    const ready = gates.filter(gate => gate.isParked())
    const wanted = choose(gates, order)
    const chosen = ready.includes(wanted) ? wanted : ready[0]!
    chosen.open()
  }
  const [a, b] = await ended
  const counts: [number, number] = [gates[0].passed, gates[1].passed]
  for (const gate of gates) gate.end()
  return { first: a, second: b, counts }
}

async function settled<T>(gate: Gate, work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([work])
  gate.done = true
  return result!
}

function choose([first, second]: readonly [Gate, Gate], order: Order): Gate {
  if (first.passed < order.first) return first
  return second.passed < order.second ? second : first
}

const SHORT_LOOKS = 20

/** Until every session has ended, stands at its gate, or waits for a lock that one at its gate holds. */
async function comeToRest(service: Service, gates: readonly Gate[]): Promise<void> {
  const began = performance.now()
  for (let look = 0; performance.now() - began < PATIENCE_MS; look++) {
    await new Promise(setImmediate)
    const busy = gates.filter(gate => !gate.done && !gate.isParked())
    if (busy.length === 0) return
    if (look < SHORT_LOOKS) continue
    if (gates.some(gate => gate.isParked()) && (await areBlocked(service, busy))) return
    await sleep(1)
  }
  throw new Error('the sessions do not come to rest')
}

async function areBlocked({ context }: Service, gates: readonly Gate[]): Promise<boolean> {
  const pids = gates.map(gate => gate.pid)
  const rows = await context.db.sql<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity WHERE pid = ANY(${pids}::int[]) AND wait_event_type = 'Lock'`
  return gates.every(gate => gate.running > 0 && rows.some(row => row.pid === gate.pid))
}

/**
 * The orders of two sides of so many statements: each point at which the first is interrupted until the second has
 * ended, then points at which the second is interrupted in turn, as many as there is room for, chosen by a seed.
 */
export function listOrders([n, m]: readonly [number, number], most: number, seed: number): Order[] {
  const once = Array.from({ length: n + 1 }, (_, first) => ({ first, second: m }))
  const twice = Array.from({ length: n }, (_, first) =>
    Array.from({ length: m - 1 }, (_, i) => ({ first, second: i + 1 })),
  ).flat()
  const random = createRandom(seed)
  while (twice.length > Math.max(0, most - once.length)) {
    twice.splice(between(random, 0, twice.length - 1), 1)
  }
  return [...once, ...twice]
}
