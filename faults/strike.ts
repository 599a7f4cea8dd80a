// Carries out one fault and waits until what it struck is back.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR } from '../server/src/platform/clock.ts'
import type { Link } from './link.ts'
import type { Running } from './processes.ts'
import type { Fault, Kind } from './schedule.ts'
import { DISTURBED_MS, LATENCY_MS, STOP_MS } from './timing.ts'
import type { Part, World } from './world.ts'

export type Struck = {
  /** Which one it was. */
  name: string
  began: number
  /** The disturbance itself was over; a kill is over at once. */
  ended: number
  /** The database was away and came back at this instant. */
  returned: number | null
  note: string
}

const SLOW_MS = 4_000
const CLOCK_MS = 4_000
const PANIC_LIMIT_MS = 15_000
const FULL_MS = 3_000

export async function strike(world: World, fault: Fault): Promise<Struck> {
  const began = Date.now()
  const over = { ended: 0, returned: null as number | null, note: '' }
  if (fault.target === 'postgres') {
    Object.assign(over, await strikePostgres(world, fault.kind))
    return { name: `postgres: ${fault.kind}`, began, ...over }
  }
  if (fault.target === 'receiver') {
    const { process, link } = world.receiver
    over.ended = await disturb(fault.kind, process, [link])
    return { name: `receiver: ${fault.kind}`, began, ...over }
  }
  const fits = (part: Part) => (fault.target === 'server' ? part.serves : part.works)
  const parts = world.parts.filter(fits)
  const part = parts[Math.floor(fault.which * parts.length)]!
  const link = fault.target === 'server' ? part.clients : part.database
  over.ended = await disturb(fault.kind, part.process, [link])
  return { name: `${part.process.name}: ${fault.kind}`, began, ...over }
}

/** Returns when the disturbance was over. */
async function disturb(kind: Kind, process: Running, links: readonly Link[]): Promise<number> {
  if (kind === 'kill' || kind === 'restart') {
    const gone = process.ended()
    process.signal(kind === 'kill' ? 'SIGKILL' : 'SIGTERM')
    await gone
    const ended = Date.now()
    await process.ready()
    return ended
  }
  if (kind === 'stop') {
    process.signal('SIGSTOP')
    await sleep(STOP_MS)
    process.signal('SIGCONT')
  } else if (kind === 'clock +1 h' || kind === 'clock -1 h') {
    await process.setClock(kind === 'clock +1 h' ? HOUR : -HOUR)
    await sleep(CLOCK_MS)
    await process.setClock(0)
  } else await disturbLinks(kind, links)
  return Date.now()
}

async function disturbLinks(kind: Kind, links: readonly Link[]): Promise<void> {
  if (kind === 'finish') await Promise.all(links.map(link => link.finish(DISTURBED_MS)))
  if (kind === 'reset') await Promise.all(links.map(link => link.reset(DISTURBED_MS)))
  if (kind === 'latency') {
    for (const link of links) link.slow(LATENCY_MS)
    await sleep(SLOW_MS)
    for (const link of links) link.slow(0)
  }
  if (kind === 'away 3 s' || kind === 'away 30 s') {
    for (const link of links) link.leave()
    await sleep(kind === 'away 3 s' ? 3_000 : 30_000)
    await Promise.all(links.map(link => link.comeBack()))
  }
}

type Over = { ended: number; returned: number; note?: string }

async function strikePostgres(world: World, kind: Kind): Promise<Over> {
  const { postgres } = world
  const pid = postgres.pid()!
  if (kind === 'kill' || kind === 'restart') {
    process.kill(pid, kind === 'kill' ? 'SIGKILL' : 'SIGINT')
    const ended = Date.now()
    return { ended, returned: await untilReplaced(world, pid) }
  }
  if (kind === 'stop') {
    const all = familyOf(pid)
    for (const one of all) signal(one, 'SIGSTOP')
    await sleep(STOP_MS)
    for (const one of all) signal(one, 'SIGCONT')
  } else if (kind === 'disk full') {
    return fillDisk(world, pid)
  } else {
    await disturbLinks(
      kind,
      world.parts.map(part => part.database),
    )
  }
  const ended = Date.now()
  return { ended, returned: ended }
}

/** First writes fail while reads go on; when the log finds no room, PostgreSQL ends itself. */
async function fillDisk(world: World, pid: number): Promise<Over> {
  const { disk, postgres } = world
  if (disk.refusal !== null) {
    const now = Date.now()
    return { ended: now, returned: now, note: `skipped, because ${disk.refusal}` }
  }
  disk.fill()
  await sleep(FULL_MS)
  await fillLog(world)
  const limit = Date.now() + PANIC_LIMIT_MS
  while (postgres.pid() === pid && Date.now() < limit) await sleep(50)
  const panicked = postgres.pid() !== pid
  await sleep(FULL_MS)
  disk.free()
  const ended = Date.now()
  const note = panicked ? 'it ended itself and was started again' : 'writes failed, it stayed up'
  return { ended, returned: panicked ? await untilReplaced(world, pid) : ended, note }
}

/** The load alone would take long to use up the segments of the log that are there already. */
async function fillLog({ context: { db } }: World): Promise<void> {
  await db.sql`SELECT count(pg_logical_emit_message(false, 'faults', repeat('x', 1000000)))
    FROM generate_series(1, 400)`.catch(() => {})
}

const AGAIN_LIMIT_MS = 60_000

async function untilReplaced({ postgres }: World, pid: number): Promise<number> {
  const limit = Date.now() + AGAIN_LIMIT_MS
  while (Date.now() < limit) {
    const now = postgres.pid()
    if (now !== null && now !== pid) return Date.now()
    await sleep(10)
  }
  throw new Error('PostgreSQL did not come back')
}

/** The server and every session of it. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc').filter(name => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid
    } catch {
      return false
    }
  })
  return [pid, ...children.map(Number)]
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // A session may have ended meanwhile.
  }
}
