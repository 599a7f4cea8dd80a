// Two servers, a worker and their senders on one machine: a seed decides what happens next and what goes wrong.
import { between, createRandom, pick, type Random } from '../../src/demo/random.ts'
import { applyDueChangesJob } from '../../src/events/apply-due-changes.job.ts'
import { createIngest, type Ingest } from '../../src/events/ingest-queue.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/clock.ts'
import { ApiError } from '../../src/platform/errors.ts'
import type { Job } from '../../src/platform/jobs.ts'
import { STEPS, type StepName } from '../../src/platform/steps.ts'
import { checkAnswer, checkWorld } from './check-world.ts'
import { type Request, submissionOf, writeRequests } from './clients.ts'
import { createMachine, type Mishap, occupy, type Process } from './machine.ts'
import { createReceiver } from './receiver.ts'
import { setStage } from './stage.ts'
import type { Plants } from './store.ts'

export type Bugs = Plants & { answer_before_commit?: boolean; forget_keys?: boolean }

export type Report = {
  seed: number
  /** The step at which a process was killed, if it came to that. */
  killed_at: StepName | null
  kills: number
  mishaps: number
  statements: number
  deadlocks: number
  events: number
  /** What was chosen, in order; the same for the same seed. */
  trace: string
}

type Server = { process: Process; ingest: Ingest; attempts: Set<Attempt> }
type Attempt = { request: Request }
type Choice = { name: string; weight: number; act(): void }

const START = Date.parse('2026-03-02T09:00:00.000Z')
const MOST_CHOICES = 20_000
/** Keys are forgotten after a day, so that a request under way may not see a whole one pass. */
const MOST_JUMPS = 8
const DAYS = 4

/** The steps that ingestion and due changes pass; each seed kills at one of them. */
export const KILL_STEPS = STEPS.filter(name => /^(?:ingest|decay)\.|^delivery\.queued$/.test(name))

/** Runs one seed to its end and throws what does not hold. */
export async function simulate(seed: number, bugs: Bugs = {}): Promise<Report> {
  const random = createRandom(seed)
  const machine = createMachine(START, bugs)
  return occupy({ machine, random }, () => createWorld(seed, random, machine, bugs).run())
}

function createWorld(
  seed: number,
  random: Random,
  machine: ReturnType<typeof createMachine>,
  bugs: Bugs,
) {
  const { store } = machine
  const stage = setStage(store, random, START)
  const requests = writeRequests(random, stage.emails, START).map(one =>
    bugs.forget_keys ? { ...one, keyed: false } : one,
  )
  const receiver = createReceiver(store, stage)
  const plan = planFaults(seed, random)
  const report: Report = {
    seed,
    killed_at: null,
    kills: 0,
    mishaps: 0,
    statements: 0,
    deadlocks: 0,
    events: 0,
    trace: '',
  }
  let fault: unknown = null
  let jumps = 0
  const skews = [0, 0, 0].map(() => (random() < 0.5 ? 0 : between(random, -MINUTE, 10 * MINUTE)))
  const servers: Server[] = [0, 1].map(startServer)
  let worker = startWorking()

  function startServer(place: number): Server {
    const process = machine.startProcess(`server${place}`, skews[place]!)
    return { process, ingest: createIngest(process.context), attempts: new Set() }
  }

  function startWorking(): { process: Process; job: Job; busy: boolean; rested: boolean } {
    const process = machine.startProcess('worker', skews[2]!)
    return { process, job: applyDueChangesJob(), busy: false, rested: false }
  }

  machine.onStep = (name, process) => {
    if (process.dead || name !== plan.step || --plan.passes > 0) return
    plan.step = null
    report.killed_at = name
    killOne(process)
  }
  machine.mishap = isCommit => {
    const [next] = plan.mishaps
    if (!next || machine.statements < next.after) return null
    if (next.kind === 'unanswered' && !isCommit) return null
    plan.mishaps.shift()
    report.mishaps++
    return next.kind
  }

  function killOne(process: Process): void {
    report.kills++
    machine.kill(process)
    for (const server of servers) {
      if (server.process !== process) continue
      for (const { request } of server.attempts) request.open--
      server.attempts.clear()
    }
  }

  function send(request: Request): void {
    const server = pick(
      random,
      servers.filter(({ process }) => !process.dead),
    )
    const { process } = server
    machine.current = process
    request.sent++
    request.open++
    const attempt = { request }
    server.attempts.add(attempt)
    const end = (then: () => void) => () => {
      if (process.dead) return
      if (server.attempts.delete(attempt)) request.open--
      then()
    }
    const early = bugs.answer_before_commit ? (answer: any) => take(request, answer) : undefined
    server.ingest(stage.tenant_id, submissionOf(request, early)).then(
      answer => end(() => take(request, answer as never))(),
      error => end(() => refuse(error))(),
    )
  }

  function take(request: Request, answer: Request['answer']): void {
    request.answer ??= answer
    fault ??= checkAnswer(store, request, answer)
  }

  /** "Not now" and an error of the database's own are tried again; nothing else may come. */
  function refuse(error: any): void {
    const isExpected =
      error instanceof ApiError ? error.code === 'UNAVAILABLE' : error.code === 'XX000'
    if (!isExpected) fault ??= error
  }

  function runWorker(): void {
    const own = worker
    own.busy = true
    machine.current = own.process
    const end = (rested: boolean) => {
      own.busy = false
      own.rested = rested
    }
    own.job.run(own.process.context).then(
      more => end(!more),
      error => {
        if (!own.process.dead) refuse(error)
        end(false)
      },
    )
  }

  /** What could happen next. */
  function listChoices(): Choice[] {
    const choices: Choice[] = []
    const add = (name: string, weight: number, act: () => void) =>
      choices.push({ name, weight, act })
    const ready = machine.runnable()
    if (ready.length > 0) add('statement', 12, () => machine.advance(pick(random, ready)))
    const [sleeper] = machine.sleepers
    if (sleeper) add('wake', 3, () => machine.wake(sleeper))
    const someServer = servers.some(({ process }) => !process.dead)
    const waiting = requests.filter(one => one.answer === null && one.open === 0)
    if (someServer && waiting.length > 0) add('send', 3, () => send(pick(random, waiting)))
    const open = requests.filter(one => one.answer === null && one.open === 1 && one.sent < 4)
    if (someServer && open.length > 0) add('again', 0.2, () => send(pick(random, open)))
    servers.forEach(({ process }, i) => {
      if (process.dead) add('restart', 1, () => restart(i))
    })
    if (worker.process.dead) add('restart', 1, () => restart(null))
    else if (!worker.busy) add('worker', 0.4, runWorker)
    if (receiver.hasPending())
      add('receive', 0.5, () => receiver.receive(random, between(random, 1, 6)))
    add('tick', 0.5, () => pass(between(random, 1, 40)))
    if (jumps < MOST_JUMPS) add('jump', 0.15, jump)
    if (plan.kills > 0) add('kill', 0.02, killAny)
    return choices
  }

  function restart(place: number | null): void {
    if (place === null) worker = startWorking()
    else servers[place] = startServer(place)
  }

  function pass(ms: number): void {
    machine.now += ms
  }

  function jump(): void {
    jumps++
    pass(between(random, MINUTE, 2 * HOUR))
  }

  function killAny(): void {
    plan.kills--
    const alive = [...servers, worker].filter(({ process }) => !process.dead)
    if (alive.length > 0) killOne(pick(random, alive).process)
  }

  async function go(isOver: () => boolean): Promise<void> {
    for (let n = 0; n < MOST_CHOICES; n++) {
      await new Promise(setImmediate)
      if (fault) throw fault
      if (isOver()) return
      const choice = weigh(random, listChoices())
      report.trace += choice.name[0]
      choice.act()
    }
    throw new Error('the simulation does not come to rest')
  }

  const isAtRest = () => machine.isIdle() && !worker.busy && !worker.process.dead

  /** Days pass, and the worker comes to rest after each; on the last of them nothing goes wrong any more. */
  async function finish(): Promise<void> {
    jumps = MOST_JUMPS
    for (let day = 1; day <= DAYS; day++) {
      if (day === DAYS) Object.assign(plan, { step: null, mishaps: [], kills: 0 })
      worker.rested = false
      await go(() => isAtRest() && worker.rested)
      pass(between(random, HOUR, 2 * DAY))
    }
  }

  async function run(): Promise<Report> {
    await go(() => requests.every(one => one.answer !== null) && isAtRest())
    await finish()
    receiver.receiveAll(random)
    const faults = checkWorld(store, stage, requests, receiver)
    if (faults.length > 0) throw new Error(faults.slice(0, 5).join('; '))
    const { statements, deadlocks } = machine
    return { ...report, statements, deadlocks, events: store.committed('events').length }
  }

  return { run }
}

type Plan = {
  step: StepName | null
  /** How often the step is passed until it kills. */
  passes: number
  mishaps: { kind: Mishap; after: number }[]
  /** Deaths between two statements. */
  kills: number
}

function planFaults(seed: number, random: Random): Plan {
  const kinds: Mishap[] = ['lost', 'unanswered', 'failed']
  const count = between(random, 0, 2)
  const mishaps = Array.from({ length: count }, () => {
    return { kind: pick(random, kinds), after: between(random, 1, 120) }
  })
  mishaps.sort((a, b) => a.after - b.after)
  const step = KILL_STEPS[seed % KILL_STEPS.length]!
  return { step, passes: between(random, 1, 3), mishaps, kills: between(random, 0, 1) }
}

function weigh(random: Random, choices: readonly Choice[]): Choice {
  let rest = random() * choices.reduce((sum, one) => sum + one.weight, 0)
  for (const choice of choices) {
    rest -= choice.weight
    if (rest < 0) return choice
  }
  return choices.at(-1)!
}
