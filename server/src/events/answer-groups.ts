// Answers a group of requests with events: together where that can be, apart from those whose people others hold.
import { emailKey } from '../employees/email-address.ts'
import { listHeld } from '../employees/standings.queries.ts'
import type { Context } from '../platform/context.ts'
import { isLockTimeout } from '../platform/database-errors.ts'
import { ApiError } from '../platform/errors.ts'
import { createHistogram } from '../platform/metrics.ts'
import { step } from '../platform/steps.ts'
import { type JudgedEarly, judgeEarly } from './ask-early.ts'
import type { EventInput } from './event-input.ts'
import { ingestTogether, wantedBy } from './ingest-events.ts'
import { createHands, type Hand } from './people-in-hand.ts'
import { takeHeld, type Waiting } from './waiting-lanes.ts'

/** So often a group is tried without those whose people others hold at that moment. */
const MOST_TURNS = 3

const batches = createHistogram(
  'bellwether_ingest_batch_events',
  'Events that went together in one transaction.',
  [],
  [1, 2, 4, 8, 16, 32, 64, 128, 256, 1000],
)

export function createAnswering(context: Context) {
  const hands = createHands()

  /**
   * Returns those who were left over, because others hold their people. A group that fails for a reason of its own is
   * taken apart, so that a bad event fails alone.
   */
  async function answerGroup(
    tenant_id: string,
    group: readonly Waiting[],
    locked: () => void,
  ): Promise<Waiting[]> {
    const rest = [...group]
    const left: Waiting[] = []
    for (let turn = 0; turn < MOST_TURNS && rest.length > 0; turn++) {
      const tried = await tryGroup(tenant_id, rest, false, locked)
      if (tried === 'answered') return left
      if (tried === 'failed') {
        for (const one of rest) await tryGroup(tenant_id, [one], true, locked)
        return left
      }
      left.push(...takeHeld(rest, await findHeld(context, tenant_id, rest)))
    }
    return [...left, ...rest]
  }

  async function answerPatiently(tenant_id: string, group: Waiting[]): Promise<void> {
    if ((await tryGroup(tenant_id, group, true, () => {})) === 'answered') return
    for (const one of group) await tryGroup(tenant_id, [one], true, () => {})
  }

  async function tryGroup(
    tenant_id: string,
    group: Waiting[],
    isPatient: boolean,
    locked: () => void,
  ): Promise<Tried> {
    const inputs = group.flatMap(one => one.submission.inputs)
    // Invariant: before it is in hand: of two transactions the earlier one asks for its connection first. Where it fails,
    // it fails again in the transaction, for the event that is to blame.
    const early = await judgeEarly(tenant_id, inputs).catch(() => null)
    const wanted = new Set(group.flatMap(one => wantedBy(one.submission)))
    return hands(tenant_id, wanted, isPatient, hand => {
      const sayLocked = () => {
        hand.sayLocked()
        locked()
      }
      return tryTogether(context, tenant_id, group, { ...hand, sayLocked }, early)
    })
  }

  return { answerGroup, answerPatiently }
}

/** Unless answered nobody was: either others hold somebody, or each may be tried alone. */
type Tried = 'answered' | 'held' | 'failed'

/** Who cannot be locked at this moment. Where that cannot be told, nobody: what is behind it shows at the next try. */
async function findHeld({ db }: Context, tenant_id: string, group: readonly Waiting[]) {
  const emails = group.flatMap(one => one.submission.inputs.map(emailOf))
  const found = db.inTenant(tenant_id, tx => listHeld(tx, tenant_id, [...new Set(emails)]))
  return new Set(await found.catch(() => []))
}

const emailOf = (input: EventInput) => emailKey(input.employee_email)

async function tryTogether(
  context: Context,
  tenant_id: string,
  group: Waiting[],
  hand: Hand,
  early: JudgedEarly | null,
): Promise<Tried> {
  try {
    const submissions = group.map(one => one.submission)
    const answers = await ingestTogether(context, tenant_id, submissions, hand, early)
    batches.observe(
      [],
      submissions.reduce((sum, one) => sum + one.inputs.length, 0),
    )
    step('ingest.committed')
    group.forEach((one, i) => {
      const answer = answers[i]!
      if (answer instanceof Error) one.reject(answer)
      else one.resolve(answer)
    })
  } catch (error) {
    if (!hand.isPatient && isLockTimeout((error as Error).cause)) return 'held'
    if (group.length > 1 && !(error instanceof ApiError)) return 'failed'
    for (const one of group) one.reject(error)
  }
  return 'answered'
}
