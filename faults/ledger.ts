// What was asked and what came of it: every request is ok, refused or unknown, and whatever is none of it is wrong.
import { Agent, request } from 'undici'
import { ANSWER_LIMIT_MS } from './timing.ts'
import type { Part } from './world.ts'

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any route
  body: any
}

export type Asked = {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  key: string
  body?: unknown
  idempotency?: string
  /** Statuses that are right here besides 2xx, 429 and 503 with Retry-After. */
  also?: readonly number[]
  headers?: Record<string, string>
}

export type Fate = 'ok' | 'refused' | 'unknown'

export type Ledger = {
  readonly counts: Record<Fate | 'retried' | 'repeated' | 'checks', number>
  /** What must never have happened, in words; the first hundred. */
  readonly wrong: string[]
  /** What became of each event sent, by its number. */
  readonly events: Map<number, Fate>
  /** The last events that were acknowledged, newest last. */
  readonly acknowledged: { tenant_id: string; event_id: string; n: number }[]
  /** Asks one server; null when nobody knows what became of it. */
  ask(part: Part, asked: Asked): Promise<Answer | null>
  note(wrong: string): void
  /** When a server last gave a 2xx, by its name. */
  lastGood: Map<string, number>
  close(): Promise<void>
}

const MOST_WRONG = 100
const MOST_ACKNOWLEDGED = 300

export function openLedger(): Ledger {
  const agent = new Agent({
    connections: 256,
    pipelining: 1,
    connect: { timeout: 2_000 },
    headersTimeout: ANSWER_LIMIT_MS,
    bodyTimeout: ANSWER_LIMIT_MS,
    keepAliveTimeout: 30_000,
  })
  const ledger: Ledger = {
    counts: { ok: 0, refused: 0, unknown: 0, retried: 0, repeated: 0, checks: 0 },
    wrong: [],
    events: new Map(),
    acknowledged: [],
    lastGood: new Map(),
    note: wrong => {
      if (ledger.wrong.length < MOST_WRONG) ledger.wrong.push(wrong)
    },
    ask: async (part, asked) => {
      const answer = await send(agent, part, asked)
      const fate = fateOf(answer)
      ledger.counts[fate] += 1
      if (fate === 'ok') ledger.lastGood.set(part.process.name, Date.now())
      if (answer && !isAllowed(answer, asked)) ledger.note(describe(part, asked, answer))
      return answer
    },
    close: () => agent.destroy(),
  }
  return ledger
}

function fateOf(answer: Answer | null): Fate {
  if (!answer) return 'unknown'
  return answer.status < 300 ? 'ok' : 'refused'
}

/** Not now: the same request may be made again. */
export const isPassing = ({ status }: Answer) => status === 429 || status === 503

/** Never a wrong answer and never 500; a 503 says when to come again. */
function isAllowed({ status, headers }: Answer, { also = [] }: Asked): boolean {
  if (status === 503) return headers['retry-after'] !== undefined
  return (status >= 200 && status < 300) || status === 429 || also.includes(status)
}

function describe(part: Part, { method, path }: Asked, { status, body }: Answer): string {
  const told = JSON.stringify(body ?? null).slice(0, 300)
  return `${part.process.name}: ${method} ${path} was answered ${status} ${told}`
}

async function send(agent: Agent, { clients }: Part, asked: Asked): Promise<Answer | null> {
  const { method, path, key, body, idempotency, headers } = asked
  const origin = `http://127.0.0.1:${clients.port}`
  try {
    const {
      statusCode,
      headers: received,
      body: stream,
    } = await request(origin + path, {
      method,
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotency === undefined ? {} : { 'idempotency-key': idempotency }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await stream.text()
    return { status: statusCode, headers: received, body: text === '' ? null : JSON.parse(text) }
  } catch {
    return null
  }
}

export function acknowledge(ledger: Ledger, tenant_id: string, event_id: string, n: number): void {
  ledger.events.set(n, 'ok')
  ledger.acknowledged.push({ tenant_id, event_id, n })
  if (ledger.acknowledged.length > MOST_ACKNOWLEDGED) ledger.acknowledged.shift()
}
