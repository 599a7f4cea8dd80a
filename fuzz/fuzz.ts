// The fuzzer: so many requests by a seed, every operation in turn, every answer and every line of the log judged.
import { createRandom, pick, type Random } from '../server/src/demo/random.ts'
import { newKey } from '../server/src/keys/key-format.ts'
import { openPeople, type People, WORDS } from './hostile-people.ts'
import { createJudge, type Forbidden, type FuzzAnswer, type Judge, judgeLog } from './judge.ts'
import {
  type Document,
  FORM_OPERATIONS,
  listDashboardOperations,
  listOperations,
  type Operation,
  readDocument,
} from './operations.ts'
import { CANARY, plantVictim } from './plant-victim.ts'
import { createPools, type Known } from './pools.ts'
import { type FuzzRequest, makeRequest } from './requests.ts'
import { HOST, type Stage } from './stage.ts'
import type { Source } from './values.ts'

export type Finding = { index: number; operation: string; request: FuzzRequest; faults: string[] }

export type FuzzResult = {
  readonly requests: number
  /** Requests of each operation by status. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<number, number>>
  readonly findings: readonly Finding[]
}

const RENEW_EVERY = 300
const WORK_EVERY = 240
/** So often somebody is erased whose name is made of words of the configuration. */
const PERSON_EVERY = 40
const MOST_FINDINGS = 50

/** So many are under way at once; what they taught is learnt in their order. */
const LANES = 4

export async function fuzz(stage: Stage, seed: number, requests: number): Promise<FuzzResult> {
  const run = await prepare(stage, seed)
  const counts = new Map<string, Map<number, number>>()
  const findings: Finding[] = []
  for (let index = 0; index < requests && findings.length < MOST_FINDINGS; index += LANES) {
    if (index % RENEW_EVERY === 0) run.session = await stage.logIn()
    if (index % WORK_EVERY === 0) await stage.work()
    if (index % PERSON_EVERY === 0) findings.push(...(await erasePerson(run, index)))
    stage.advance(1000 * LANES)
    const sent = Array.from({ length: LANES }, (_, lane) =>
      prepareRequest(run, stage, index + lane),
    )
    const answers = await Promise.all(sent.map(({ request }) => stage.send(request)))
    const logged = stage.readLog().flatMap(line => judgeLog(line, run.forbidden))
    for (const [lane, { operation, request }] of sent.entries()) {
      const answer = answers[lane]!
      run.pools.learn(operation, answer, run.source.random)
      count(counts, operation.name, answer.status)
      const faults = [
        ...judgeAnswer(run, request, operation, answer),
        ...(lane === 0 ? logged : []),
      ]
      const at = index + lane
      if (faults.length > 0)
        findings.push({ index: at, operation: operation.name, request, faults })
    }
    const isOut = sent.some(
      ({ request }, i) => answers[i]!.status === 401 && request.headers.cookie,
    )
    if (isOut) run.session = await stage.logIn()
  }
  return { requests, counts, findings }
}

async function erasePerson({ people }: Run, index: number): Promise<Finding[]> {
  const faults = await people.step()
  const request = { method: 'POST', url: '/v1/employees/{id}/erase', headers: {} }
  return faults.length > 0 ? [{ index, operation: 'hostile people', request, faults }] : []
}

function prepareRequest(run: Run, stage: Stage, index: number) {
  const operation = run.operations[index % run.operations.length]!
  const made = makeRequest(operation, run.source, run.pools)
  // The fuzzer does not take away the key it works with.
  if (made.method === 'DELETE') made.url = made.url.replace(stage.attacker.key_id, 'none')
  return { operation, request: withCaller(run, stage, operation, made) }
}

type Run = {
  readonly operations: readonly Operation[]
  readonly source: Source
  readonly pools: Known
  readonly people: People
  readonly judge: Judge
  readonly forbidden: readonly Forbidden[]
  session: Record<string, string>
  /** Ids of the other tenant that the attacker itself has stored in its own. */
  readonly written: Set<string>
}

async function prepare(stage: Stage, seed: number): Promise<Run> {
  const document = readDocument()
  const random = createRandom(seed)
  const pools = createPools()
  const secrets = await plantVictim(stage, pools)
  const { attacker, victim } = stage
  const forbidden = [
    { name: "another tenant's data", text: CANARY },
    { name: "another tenant's id", text: victim.tenant_id },
    ...[attacker.key, victim.key, attacker.password, victim.password, ...secrets].map(text => {
      return { name: 'a secret', text }
    }),
  ]
  return {
    operations: [
      ...listOperations(document),
      ...listDashboardOperations(stage.app.routes),
      ...FORM_OPERATIONS,
    ],
    pools,
    people: await openPeople(stage, stage.bystander, createRandom(seed)),
    forbidden,
    session: {},
    written: new Set<string>(),
    source: sourceOf(random, document, pools, stage),
    judge: createJudge(document, forbidden),
  }
}

/** Fields whose values mean something only if they fit what is stored. */
function sourceOf(random: Random, document: Document, pools: Known, stage: Stage): Source {
  const moment = () =>
    new Date(stage.context.clock.now() - Math.floor(random() * 40) * 86_400_000).toISOString()
  const makers: Record<string, () => unknown> = {
    email: () =>
      random() < 0.6 ? pools.own('email', random) : `p${Math.floor(random() * 1e6)}@f.test`,
    employee_email: () => pools.own('email', random),
    employee_id: () =>
      random() < 0.1 ? pools.foreign('employees', random) : pools.own('employees', random),
    subject_id: () => pools.foreign('employees', random),
    replaces: () => pools.own('rules', random),
    type: () => 'custom.fuzz',
    event_type: () => pick(random, ['custom.fuzz', 'sim.link_clicked', 'sim.*']),
    url: () => 'https://hooks.example.com/fuzz',
    timestamp: moment,
    since: moment,
    from: moment,
    to: () => new Date(stage.context.clock.now()).toISOString(),
    department: () => pick(random, ['Sales', 'Ops', '', ...WORDS]),
    first_name: () => pick(random, WORDS),
    last_name: () => pick(random, WORDS),
    confirm: () => 'erase',
    redirect_uris: () => ['https://app.example/callback'],
    scopes: () => ['events:read'],
    cooldown: () => pick(random, ['0h', '1d', '3w']),
  }
  return { random, document, known: field => makers[field]?.() }
}

/** Now and then somebody else asks: nobody, a stranger's key, or the wrong kind of credential. */
function withCaller(
  { source, session }: Run,
  stage: Stage,
  operation: Operation,
  made: FuzzRequest,
) {
  const { random } = source
  const chance = random()
  const headers: Record<string, string> = { host: HOST, ...made.headers }
  if (operation.caller === 'session') Object.assign(headers, chance < 0.03 ? {} : session)
  else if (operation.caller === 'key' && chance > 0.03) {
    const { key } = stage.attacker
    headers.authorization = `Bearer ${chance > 0.06 ? key : pick(random, strangeKeys(key))}`
  }
  if (operation.form) headers.origin = `http://${HOST}`
  return { ...made, headers }
}

function strangeKeys(key: string): string[] {
  return [newKey('nowhere'), `${key.slice(0, -1)}x`, 'x', `sk_${'x'.repeat(40)}`, "' OR 1=1", '']
}

/**
 * An id of another tenant is told only to who wrote it down: in this request, or in one that was stored, such as
 * the filter of a job.
 */
function judgeAnswer(run: Run, request: FuzzRequest, operation: Operation, answer: FuzzAnswer) {
  const payload = String(request.payload ?? '')
  const sent = `${decodeURIComponent(safe(request.url))} ${payload}`
  const foreign = run.pools.foreignValues()
  if (answer.status < 300) {
    for (const id of foreign) if (payload.includes(id)) run.written.add(id)
  }
  const told = foreign.filter(
    id => answer.body.includes(id) && !sent.includes(id) && !run.written.has(id),
  )
  // What a saved answer told may be erased or redacted since: the key stays claimed, and the repeat has no body.
  const isRepeat = request.headers['idempotency-key'] !== undefined && answer.status < 300
  const faults = run.judge(operation, answer).filter(fault => !isRepeat || fault !== 'has no body')
  return [...faults, ...told.map(() => "tells another tenant's id")]
}

function safe(url: string): string {
  try {
    decodeURIComponent(url)
    return url
  } catch {
    return ''
  }
}

function count(counts: Map<string, Map<number, number>>, name: string, status: number): void {
  const own = counts.get(name) ?? new Map<number, number>()
  counts.set(name, own.set(status, (own.get(status) ?? 0) + 1))
}
