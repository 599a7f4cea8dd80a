// Senders of events: each request is sent until it is answered, under its key or with ids of its own.
import { between, pick, type Random } from '../../src/demo/random.ts'
import { answerItem, answerOne } from '../../src/events/answer-events.ts'
import type { EventInput } from '../../src/events/event-input.ts'
import type { Outcome, Submission } from '../../src/events/ingest-events.ts'
import { HOUR, MINUTE } from '../../src/platform/clock.ts'

export type Request = {
  readonly id: number
  readonly inputs: readonly EventInput[]
  /** Whether it carries an Idempotency-Key. */
  readonly keyed: boolean
  /** Attempts under way. */
  open: number
  sent: number
  answer: { status: number; body: any } | null
}

const TYPES = ['custom.slip', 'custom.breach', 'custom.report', 'custom.other']

/** Invariant: what is sent more than once is told apart by a key or by external ids. */
export function writeRequests(random: Random, emails: readonly string[], now: number): Request[] {
  const external: string[] = []
  let n = 0
  return Array.from({ length: between(random, 3, 9) }, (_, id) => {
    const keyed = random() < 0.7
    const size = random() < 0.7 ? 1 : between(random, 2, 3)
    const inputs = Array.from({ length: size }, () => {
      const own = keyed && random() < 0.7 ? null : nameExternal(random, external)
      return writeInput(random, emails, now, n++, own)
    })
    return { id, inputs, keyed, open: 0, sent: 0, answer: null }
  })
}

/** Now and then one that another request bears as well. */
function nameExternal(random: Random, known: string[]): string {
  if (known.length > 0 && random() < 0.2) return pick(random, known)
  known.push(`x${known.length}`)
  return known.at(-1)!
}

function writeInput(
  random: Random,
  emails: readonly string[],
  now: number,
  n: number,
  external_id: string | null,
): EventInput {
  const isStranger = random() < 0.05
  const late = random() < 0.2 ? now - between(random, 1, 72) * HOUR : null
  const ahead = random() < 0.05 ? now + between(random, 0, 4) * MINUTE : null
  return {
    type: pick(random, TYPES),
    source: 'simulated',
    employee_email: isStranger ? 'nobody@example.com' : pick(random, emails),
    timestamp: late ?? ahead,
    details: { n },
    external_id,
    keep_unmatched: isStranger,
  }
}

/** `early` hears the answer before it is committed: a planted bug. */
export function submissionOf(
  { id, inputs, keyed }: Request,
  early?: (answer: Request['answer']) => void,
): Submission {
  return {
    inputs,
    actor: 'key:simulated',
    repeatable: keyed
      ? { request: `POST /v1/events key${id}`, body_hash: Buffer.from([id]) }
      : null,
    answer: outcomes => {
      const answer = answerAll(outcomes, inputs.length)
      early?.(answer)
      return answer
    },
  }
}

function answerAll(outcomes: readonly Outcome[], size: number) {
  if (size === 1) return answerOne(outcomes[0]!, 'req_simulated')
  return { status: 207, body: { data: outcomes.map((one, i) => answerItem(i, one)) } }
}

/** The events an answer tells of, by the place of their input; null for one that was refused. */
export function answeredEvents({ inputs, answer }: Request): any[] {
  if (inputs.length === 1) return [answer!.status < 300 ? answer!.body : null]
  return answer!.body.data.map((item: any) => item.event ?? null)
}
