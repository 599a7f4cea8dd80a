// The demo company's policies, and what became of what they set off: its systems reported back. At last somebody asks
// for two things that stand open, one of them until it is approved.
import type { Asked } from '../accounts/identity.ts'
import type { ActionType } from '../actions/action-types.ts'
import { type Report, reportAction, requestAction } from '../actions/change-action.ts'
import { changePolicy } from '../actions/change-policies.ts'
import { listPolicies } from '../actions/policies.queries.ts'
import { DAY, HOUR, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { findWeakest, listSetOff, type SetOff } from './demo.queries.ts'
import { between, createRandom, type Random } from './random.ts'

const SEED = 7
/** They send no mail, as there may be nowhere to send it, and ask nobody, as nobody was there to answer. */
const SWITCHED_ON: readonly ActionType[] = ['assign_training', 'open_ticket']

type Answer = { id: string; at: Instant; status: 'completed' | 'failed'; report: Report }

export async function switchOnPolicies(tx: Tx, asked: Asked): Promise<void> {
  for (const { id, type } of await listPolicies(tx, asked.tenant_id)) {
    if (SWITCHED_ON.includes(type)) await changePolicy(tx, asked, id, { status: 'active' })
  }
}

/** Invariant: in the order of time, as the audit log keeps them. */
export async function answerActions(tx: Tx, asked: Asked, now: Instant): Promise<void> {
  const random = createRandom(SEED)
  const setOff = await listSetOff(tx, asked.tenant_id)
  const answers = setOff.flatMap((action, i) => answerTo(action, i, random))
  for (const { id, at, status, report } of answers.sort((a, b) => a.at - b.at)) {
    if (at < now - DAY) await reportAction(tx, { ...asked, now: at }, id, status, report)
  }
  const employee_id = await findWeakest(tx, asked.tenant_id)
  const ask = (at: Instant, type: ActionType, parameters: Record<string, unknown>, note: string) =>
    requestAction(tx, { ...asked, now: at }, { employee_id, type, parameters, note })
  await ask(now - 20 * HOUR, 'assign_training', { course: 'phishing-basics' }, 'Agreed with them')
  await ask(now - 2 * HOUR, 'restrict_access', {}, 'Until we have spoken')
}

function answerTo({ id, type, occurred_at }: SetOff, i: number, random: Random): Answer[] {
  const since = occurred_at.getTime()
  const chance = random()
  if (type === 'open_ticket') {
    const outcome = `Ticket SEC-${1041 + i} closed`
    return [
      { id, at: since + between(random, 4, 72) * HOUR, status: 'completed', report: { outcome } },
    ]
  }
  // One course in ten is never taken, and expires.
  if (chance < 0.1) return []
  const at = since + between(random, 2, 12) * DAY
  if (chance > 0.9) return [{ id, at, status: 'failed', report: { outcome: 'Course not passed' } }]
  return [{ id, at, status: 'completed', report: { outcome: 'Course passed' } }]
}
