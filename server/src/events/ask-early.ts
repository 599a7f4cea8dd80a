// What can be known of events before their transaction. Which rules mean them is judged by those this process knows; and
// what decides a few of them is asked for by their addresses, together with the locks: so they wait once, not twice.
import type { CompiledRule, RuleBook } from '../../../scoring/rules.ts'
import { emailKey } from '../employees/email-address.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { judgeEvents } from '../rules/judge-events.ts'
import { lastRuleBook } from '../rules/rule-book.ts'
import { type Audience, readAudienceByEmail } from '../webhooks/announce.ts'
import type { EventInput } from './event-input.ts'
import { firingQuestions } from './firing-questions.ts'
import { readFirings } from './ingest.queries.ts'
import type { Firings } from './score-batch.ts'
import { emailsOf, type Incoming } from './score-in-turns.ts'

/** Invariant: `meant` holds for these rules alone; whether they are in force is known in the transaction. */
export type JudgedEarly = {
  readonly book: RuleBook
  readonly meant: ReadonlyMap<EventInput, readonly CompiledRule[]>
}

/** Before the transaction: rules that take long to judge by keep nobody locked and no connection busy. */
export async function judgeEarly(
  tenant_id: string,
  inputs: readonly EventInput[],
): Promise<JudgedEarly | null> {
  const known = lastRuleBook(tenant_id)
  if (!known) return null
  const meant = await judgeEvents(known.book, inputs)
  return { book: known.book, meant: new Map(inputs.map((input, i) => [input, meant[i]!])) }
}

export type Early = {
  /** The rules that were asked about: where an event is judged by others the firings are asked for anew. */
  book: RuleBook
  firings: Firings
  audience: Audience
}

/** Of many, finding the people a second time would cost more than waiting does. */
const FEW = 32

/** Invariant: called after the locks were asked for; the statements are carried out in that order, after any wait. */
export async function askEarly(
  tx: Tx,
  tenant_id: string,
  incoming: readonly Incoming[],
  now: Instant,
  judged: JudgedEarly | null,
): Promise<Early | null> {
  if (!judged || incoming.length > FEW) return null
  const { book, meant } = judged
  const questions = incoming.flatMap(({ input }) =>
    firingQuestions(meant.get(input)!, emailKey(input.employee_email), input.timestamp ?? now, now),
  )
  const [firings, audience] = await Promise.all([
    readFirings(tx, tenant_id, questions, 'email'),
    readAudienceByEmail(tx, tenant_id, emailsOf(incoming)),
  ])
  return { book, firings, audience }
}
