// Mixed load in an open loop: each request is sent when it is due, whether or not the ones before were answered.
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../server/src/demo/random.ts'
import { type Company, EVENT_TYPE } from './company.ts'
import { type Answer, acknowledge, isPassing, type Ledger } from './ledger.ts'
import type { Part } from './world.ts'

export type Load = {
  /** Sends at this rate until stopped; what is due while so many are unanswered is left out. */
  start(per_second: number, most_in_flight?: number): void
  /** Ends sending and settles what is still unknown, for a while. */
  stop(limit_ms: number): Promise<void>
  /** Ends at once, for a run that has failed. */
  drop(): void
  /** As many as are answered in this time by so many callers at once. */
  rush(callers: number, ms: number): Promise<number>
}

const TICK_MS = 10
const RETRY_MS = 400
const MOST_IN_FLIGHT = 3_000
const REPEATED_SHARE = 0.04
const LOOKED_UP_SHARE = 0.2
const BATCH = 5

type Op = () => Promise<void>

export function createLoad(
  company: Company,
  stranger: Company,
  parts: () => readonly Part[],
  ledger: Ledger,
  seed: number,
): Load {
  const random = createRandom(seed)
  const open = new Set<Promise<void>>()
  const sender: Sender = { company, stranger, parts, ledger, random, last: 0, settling: true }
  const ops = weigh(sender)
  let ticker: NodeJS.Timeout | undefined

  function go(): Promise<void> {
    const one = pick(random, ops)().finally(() => open.delete(one))
    open.add(one)
    return one
  }

  return {
    start: (per_second, most_in_flight = MOST_IN_FLIGHT) => {
      const began = performance.now()
      let sent = 0
      ticker = setInterval(() => {
        const due = Math.floor(((performance.now() - began) / 1000) * per_second)
        for (; sent < due; sent++) if (open.size < most_in_flight) void go()
      }, TICK_MS)
    },
    stop: async limit_ms => {
      clearInterval(ticker)
      const late = setTimeout(() => {
        sender.settling = false
      }, limit_ms)
      while (open.size > 0) await Promise.all(open)
      clearTimeout(late)
    },
    drop: () => {
      clearInterval(ticker)
      sender.settling = false
    },
    rush: async (callers, ms) => {
      const end = performance.now() + ms
      let done = 0
      const call = async () => {
        while (performance.now() < end) {
          await go()
          done++
        }
      }
      await Promise.all(Array.from({ length: callers }, call))
      return done
    },
  }
}

type Sender = {
  company: Company
  stranger: Company
  parts: () => readonly Part[]
  ledger: Ledger
  random: Random
  /** The number of the last event. */
  last: number
  /** False: what is unknown now stays so. */
  settling: boolean
}

function weigh(sender: Sender): [number, Op][] {
  return [
    [62, () => sendEvent(sender)],
    [4, () => sendBatch(sender)],
    [32, () => read(sender)],
    [1.5, () => changeRule(sender)],
    [0.5, () => recalculate(sender)],
  ]
}

function pick(random: Random, ops: readonly [number, Op][]): Op {
  let at = random() * ops.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, op] of ops) {
    at -= weight
    if (at < 0) return op
  }
  return ops[0]![1]
}

function choose<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!
}

function newEvent(sender: Sender) {
  const n = ++sender.last
  const { company, random } = sender
  const employee_email = choose(random, company.emails)
  return { n, body: { type: EVENT_TYPE, employee_email, details: { n } } }
}

async function sendEvent(sender: Sender): Promise<void> {
  const { ledger, company } = sender
  const { n, body } = newEvent(sender)
  ledger.events.set(n, 'unknown')
  const answer = await askUntilKnown(sender, '/v1/events', body, `event-${n}`)
  if (!answer) return
  if (answer.status !== 201) return void ledger.events.set(n, 'refused')
  acknowledge(ledger, company.tenant_id, answer.body.id, n)
  const chance = sender.random()
  if (chance < REPEATED_SHARE) await repeat(sender, body, n, answer)
  else if (chance < LOOKED_UP_SHARE) await lookUp(sender, answer.body.id)
}

/** What was acknowledged is there at once, whichever server is asked, but not for another tenant. */
async function lookUp(sender: Sender, event_id: string): Promise<void> {
  const { company, stranger, parts, ledger, random } = sender
  const path = `/v1/events/${event_id}`
  // 404 is what the ledger calls wrong here.
  await ledger.ask(choose(random, parts()), { method: 'GET', path, key: company.key })
  const asked = { method: 'GET', path, key: stranger.key, also: [404] } as const
  const answer = await ledger.ask(choose(random, parts()), asked)
  if (answer?.status === 200) ledger.note(`another tenant was shown ${path}`)
}

/** As a client does whose answer was lost: the same key gives the same answer. */
async function repeat(sender: Sender, body: unknown, n: number, first: Answer): Promise<void> {
  const again = await ask(sender, '/v1/events', body, `event-${n}`)
  if (!again || isPassing(again)) return
  sender.ledger.counts.repeated += 1
  if (again.status !== 201 || again.body.id !== first.body.id) {
    const told = `${again.status} ${JSON.stringify(again.body).slice(0, 200)}`
    sender.ledger.note(`event ${n} was repeated with its key and answered ${told}`)
  }
}

async function sendBatch(sender: Sender): Promise<void> {
  const { ledger, company } = sender
  const events = Array.from({ length: BATCH }, () => newEvent(sender))
  for (const { n } of events) ledger.events.set(n, 'unknown')
  const body = { events: events.map(one => one.body) }
  const answer = await askUntilKnown(sender, '/v1/events/batch', body, `batch-${events[0]!.n}`)
  if (!answer) return
  events.forEach(({ n }, i) => {
    const id = answer.status === 207 ? answer.body.data[i]?.event?.id : undefined
    if (id) acknowledge(ledger, company.tenant_id, id, n)
    else ledger.events.set(n, 'refused')
  })
}

/** What nobody knows is asked again with its key until somebody does; a refusal stands. */
async function askUntilKnown(sender: Sender, path: string, body: unknown, key: string) {
  let answer = await ask(sender, path, body, key)
  if (answer) return answer
  for (;;) {
    if (!sender.settling) return null
    await sleep(RETRY_MS)
    sender.ledger.counts.retried += 1
    answer = await ask(sender, path, body, key)
    if (answer && !isPassing(answer)) return answer
  }
}

function ask({ company, parts, ledger, random }: Sender, path: string, body: unknown, key: string) {
  return ledger.ask(choose(random, parts()), {
    method: 'POST',
    path,
    key: company.key,
    body,
    idempotency: key,
  })
}

const READS = [
  () => '/v1/employees?per_page=25&sort=score',
  (company: Company, random: Random) => `/v1/employees/${choose(random, company.employee_ids)}`,
  () => '/v1/events?per_page=25',
  () => '/v1/scores/summary',
  () => '/v1/scores/departments',
  () => '/v1/rules',
  (company: Company, random: Random) =>
    `/v1/employees/${choose(random, company.employee_ids)}/score-history`,
]

async function read({ company, parts, ledger, random }: Sender): Promise<void> {
  const path = choose(random, READS)(company, random)
  await ledger.ask(choose(random, parts()), { method: 'GET', path, key: company.key })
}

async function changeRule({ company, parts, ledger, random }: Sender): Promise<void> {
  await ledger.ask(choose(random, parts()), {
    method: 'PATCH',
    path: `/v1/rules/${company.rule_id}`,
    key: company.key,
    body: { impact: -1 - Math.floor(random() * 5) },
  })
}

/** One at a time is the rule: 409 while one runs. */
async function recalculate({ company, parts, ledger, random }: Sender): Promise<void> {
  await ledger.ask(choose(random, parts()), {
    method: 'POST',
    path: '/v1/rules/recalculate',
    key: company.key,
    also: [409],
    body: { scope: 'all' },
    idempotency: `job-${random()}`,
  })
}
