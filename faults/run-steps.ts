// Every named step of ingest, delivery, recalculation and decay: the process is killed there, three times each.
import { setTimeout as sleep } from 'node:timers/promises'
import { STEPS, type StepName } from '../server/src/platform/steps.ts'
import { type Company, EVENT_TYPE, openCompany } from './company.ts'
import { judge } from './judge.ts'
import { acknowledge, isPassing, type Ledger, openLedger } from './ledger.ts'
import { countLeased, say } from './run-seeded.ts'
import { closeParts, openWorld, type Part, type World } from './world.ts'

export type StepOutcome = { step: StepName; nth: number; faults: string[] }

const TIMES = [1, 2, 3]
const PEOPLE = 12
const EVENTS = 12
const REACH_LIMIT_MS = 40_000
const RETRY_MS = 100

export async function runSteps(wanted: readonly string[]): Promise<StepOutcome[]> {
  const steps = STEPS.filter(
    step => wanted.length === 0 || wanted.some(one => step.startsWith(one)),
  )
  const world = await openWorld()
  const outcomes: StepOutcome[] = []
  try {
    for (const step of steps) {
      for (const nth of TIMES) {
        const faults = await killAt(world, step, nth)
        outcomes.push({ step, nth, faults })
        say(`${step} ${nth}: ${faults.length === 0 ? 'good' : `WRONG ${faults.join('; ')}`}`)
      }
    }
    return outcomes
  } finally {
    await world.close()
  }
}

/** Three tenants with people who are due, so that every step is passed three times. */
async function killAt(world: World, step: StepName, nth: number): Promise<string[]> {
  const since = Date.now()
  const url = `http://127.0.0.1:${world.receiver.link.port}/hook`
  const names = ['First', 'Second', 'Third']
  const companies = await Promise.all(
    names.map(name => openCompany(world.context, name, PEOPLE, url)),
  )
  const ledger = openLedger()
  const died = { at: 0, leased: 0 }
  try {
    const part = await world.startPart('service', { dies_at: { step, nth }, small_pieces: true })
    const first = part.process.deaths() > 0 ? Promise.resolve() : part.process.ended()
    const noted = first.then(async () => {
      died.at = Date.now()
      died.leased = await countLeased(world, companies)
    })
    await Promise.all(companies.map((company, i) => live(part, ledger, company, i * 1000)))
    const reached = await Promise.race([noted.then(() => true), sleep(REACH_LIMIT_MS, false)])
    if (!reached) return ['the step was never reached']
    await part.process.ready()
    const window = { name: step, began: died.at, ended: died.at, leased: died.leased }
    const verdict = await judge(world, companies, ledger, [window], { since })
    return [...ledger.wrong, ...verdict.faults]
  } finally {
    await ledger.close()
    await closeParts(world)
  }
}

/** Events one after another and a recalculation in between, each asked again with its key until it is known. */
async function live(part: Part, ledger: Ledger, company: Company, from: number): Promise<void> {
  for (let i = 1; i <= EVENTS; i++) {
    const n = from + i
    const employee_email = company.emails[i % PEOPLE]
    const body = { type: EVENT_TYPE, employee_email, details: { n } }
    ledger.events.set(n, 'unknown')
    const answer = await insist(part, ledger, company, '/v1/events', body, `event-${n}`)
    acknowledge(ledger, company.tenant_id, answer.body.id, n)
    if (i % 6 === 0) {
      const asked = { scope: 'all' }
      await insist(part, ledger, company, '/v1/rules/recalculate', asked, `job-${n}`)
    }
  }
}

async function insist(
  part: Part,
  ledger: Ledger,
  { key }: Company,
  path: string,
  body: unknown,
  idempotency: string,
) {
  for (;;) {
    const also = [409]
    const asked = { method: 'POST' as const, path, key, body, idempotency, also }
    const answer = await ledger.ask(part, asked)
    if (answer && !isPassing(answer) && answer.status !== 409) return answer
    await sleep(RETRY_MS)
  }
}
