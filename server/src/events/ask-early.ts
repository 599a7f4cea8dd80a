// What decides a few events is asked for by their addresses, together with the locks: so they wait once, not twice.
import type { RuleBook } from '../../../scoring/rules.ts'
import { emailKey } from '../employees/email-address.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { lastRuleBook } from '../rules/rule-book.ts'
import { type Audience, readAudienceByEmail } from '../webhooks/announce.ts'
import { firingQuestions } from './firing-questions.ts'
import { readFirings } from './ingest.queries.ts'
import type { Firings } from './score-batch.ts'
import { emailsOf, type Incoming } from './score-in-turns.ts'

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
): Promise<Early | null> {
  const known = lastRuleBook(tenant_id)
  if (!known || incoming.length > FEW) return null
  const questions = incoming.flatMap(({ input }) => {
    const submitted = { ...input, timestamp: input.timestamp ?? now }
    return firingQuestions(known.book, emailKey(input.employee_email), submitted, now)
  })
  const [firings, audience] = await Promise.all([
    readFirings(tx, tenant_id, questions, 'email'),
    readAudienceByEmail(tx, tenant_id, emailsOf(incoming)),
  ])
  return { book: known.book, firings, audience }
}
