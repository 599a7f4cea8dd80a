// Two batches at once: whoever is in the hand of an earlier transaction comes in a second turn of the same one.
import { emailKey } from '../employees/email-address.ts'
import { lockStandingsByEmail } from '../employees/standings.queries.ts'
import type { Repeatable } from '../idempotency/answer-once.ts'
import type { Tx } from '../platform/database.ts'
import type { EventInput } from './event-input.ts'
import { boundLocks, externalKey } from './ingest.queries.ts'
import { type Hand, listSharing } from './people-in-hand.ts'

/** An event on its way in, before it is judged. */
export type Incoming = {
  input: EventInput
  actor: string
  repeatable: Repeatable
  /** Stands in for an external id where there is none: the name under which it was kept as unmatched. */
  known_as?: string
}

/** What an event holds while it is under way: its person, and its external id. */
export function keysOf({ employee_email, source, external_id }: EventInput): string[] {
  const email = emailKey(employee_email)
  return external_id === null ? [email] : [email, externalKey({ source, external_id })]
}

/** For fewer events a second turn would cost more than it gains. */
const WORTH_TWO_TURNS = 256

/**
 * People in the hand of an earlier transaction come in a second turn, when that is over; the others do not wait for it.
 * Invariant: nobody is locked before the earlier ones have locked theirs, and nothing that others may wait for is
 * written before the second turn has its locks: so only there could processes wait for each other, and it gives up.
 */
export async function scoreInTurns<T>(
  tx: Tx,
  tenant_id: string,
  incoming: readonly Incoming[],
  hand: Hand,
  score: (some: readonly Incoming[], turn?: Turn) => Promise<T[]>,
): Promise<T[]> {
  const late = listSharing(incoming, hand.held, one => keysOf(one.input))
  if (hand.isPatient || incoming.length <= WORTH_TWO_TURNS || late.size === 0) {
    if (late.size > 0) await hand.over()
    return score(incoming, { locked: hand.sayLocked })
  }
  await hand.locked()
  const [first, second] = [incoming.filter(one => !late.has(one)), [...late]]
  let passed: Promise<unknown> | undefined
  const lockSecond = async () => {
    await hand.over()
    await boundLocks(tx)
    await lockStandingsByEmail(tx, tenant_id, emailsOf(second))
  }
  const turn = async () => {
    passed ??= lockSecond()
    await passed
  }
  const outcomes = await score(first, { locked: hand.sayLocked, turn })
  await turn()
  const rest = await score(second)
  return incoming.map(one => (late.has(one) ? rest : outcomes).shift()!)
}

export const emailsOf = (incoming: readonly Incoming[]) => [
  ...new Set(incoming.map(({ input }) => emailKey(input.employee_email))),
]

export type Turn = {
  /** Called once the people are locked. */
  locked?: () => void
  /** Waited for before anything is written that others may wait for. */
  turn?: () => Promise<void>
}
