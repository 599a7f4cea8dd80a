// Each planted bug in a short run of its own: the same load, the same faults, the same checks, and all must be caught.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Window } from './arrivals.ts'
import { type Company, openCompany } from './company.ts'
import { judge } from './judge.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { createLoad, type Load } from './load.ts'
import { PLANTS, tellingOf } from './plants.ts'
import type { Running } from './processes.ts'
import { startReader } from './reader.ts'
import { countLeased } from './run-seeded.ts'
import { watchForStalls } from './stalls.ts'
import { LATENCY_MS, QUEUE_LIMIT_MS, STOP_MS } from './timing.ts'
import { closeParts, type World } from './world.ts'

export type Caught = {
  /** Null: the run without a planted bug, which must find nothing. */
  plant: string | null
  about: string
  /** What gave it away, in words: of a planted bug only what it must cause. */
  faults: string[]
  seconds: number
}

const RATE = 25
/** More than wait while a process is stopped; a machine that is slower than the rate is not buried under it. */
const MOST_IN_FLIGHT = 200
const CALLERS = 24
/** Each check is made a few times before the first fault. */
const LEAST_CHECKS = 20
const BEFORE_LIMIT_MS = 120_000
const LOOK_MS = 100
const PEOPLE = 24
/** Where a bug is planted, what is never done is a fault all the sooner. */
const PLANTED = { settle_ms: 20_000, queue_limit_ms: 15_000 }
const UNPLANTED = { settle_ms: QUEUE_LIMIT_MS, queue_limit_ms: QUEUE_LIMIT_MS }

export const PLANT_NAMES = Object.keys(PLANTS)

/** Some bugs show only when a moment is hit: what was not caught is tried once more. */
export async function catchPlant(world: World, plant: string): Promise<Caught> {
  const first = await runPlant(world, plant)
  return first.faults.length > 0 ? first : runPlant(world, plant)
}

export async function runPlant(world: World, plant: string | null): Promise<Caught> {
  const since = Date.now()
  const { settle_ms, queue_limit_ms } = plant === null ? UNPLANTED : PLANTED
  const url = `http://127.0.0.1:${world.receiver.link.port}/hook`
  const [busy, quiet] = await Promise.all([
    openCompany(world.context, 'Busy', PEOPLE, url),
    openCompany(world.context, 'Quiet', 6, url),
  ])
  await Promise.all(['one', 'two'].map(name => world.startPart(name, { plant })))
  const ledger = openLedger()
  const parts = () => world.parts
  const load = createLoad(busy, quiet, parts, ledger, 1)
  load.start(RATE, MOST_IN_FLIGHT)
  const reader = startReader(world, parts, ledger, { quiet, busy })
  const companies = [busy, quiet]
  const script = shortScript(world, companies, ledger, load)
  const telling = (found: readonly string[] = []) => tellingOf(plant, [...ledger.wrong, ...found])
  const isFound = () => telling().length > 0
  const windows: Window[] = []
  const stallSince = watchForStalls()
  const looking = setInterval(() => {
    const stall = stallSince(Date.now())
    if (stall) windows.push(stall)
  }, LOOK_MS)
  try {
    for (const turn of script) if (!isFound()) windows.push(...(await turn()))
    await reader.stop()
    await load.stop(isFound() ? 0 : settle_ms)
    const found = isFound() ? [] : await judged()
    const seconds = Math.round((Date.now() - since) / 1000)
    const about = plant === null ? 'nothing is planted' : PLANTS[plant]!.about
    return { plant, about, faults: telling(found), seconds }
  } finally {
    clearInterval(looking)
    load.drop()
    await reader.stop()
    await ledger.close()
    await closeParts(world)
  }

  async function judged(): Promise<string[]> {
    const limits = { since, queue_limit_ms }
    return (await judge(world, companies, ledger, windows, limits)).faults
  }
}

type Turn = () => Promise<Window[]>

/** A process stops with requests under way and goes on when its leases are over; then the other one is killed. */
function shortScript(
  world: World,
  companies: readonly Company[],
  { counts }: Ledger,
  load: Load,
): Turn[] {
  const { link } = world.receiver
  const during = async (name: string, act: () => Promise<void>): Promise<Window[]> => {
    const leased = await countLeased(world, companies)
    const began = Date.now()
    await act()
    return [{ name, began, ended: Date.now(), leased }]
  }
  const [one, two] = world.parts.map(part => part.process)
  const stop = (process: Running) =>
    during('stop', async () => {
      link.slow(LATENCY_MS)
      // Enough that each worker has its hands full.
      await load.rush(CALLERS, LATENCY_MS * 1.5)
      process.signal('SIGSTOP')
      await sleep(STOP_MS)
      process.signal('SIGCONT')
      link.slow(0)
    })
  return [
    async () => {
      const limit = Date.now() + BEFORE_LIMIT_MS
      while (counts.checks < LEAST_CHECKS && Date.now() < limit) await sleep(50)
      return []
    },
    () => stop(one!),
    () =>
      during('kill', async () => {
        link.slow(LATENCY_MS)
        // Enough that each worker has its hands full.
        await load.rush(CALLERS, LATENCY_MS * 1.5)
        const gone = two!.ended()
        two!.signal('SIGKILL')
        await gone
        link.slow(0)
      }),
    async () => {
      await two!.ready()
      return []
    },
  ]
}
