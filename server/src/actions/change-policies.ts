// Creating, changing and removing action policies: each raises the version, so the next change sees it.
import { isDeepStrictEqual } from 'node:util'
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { actorText } from '../platform/actor.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { lockTenant } from '../tenants/tenants.queries.ts'
import { ACTION_TYPES } from './action-types.ts'
import {
  countPolicies,
  deletePolicy,
  insertPolicies,
  lockPolicy,
  type PolicyRow,
  raisePoliciesVersion,
  updatePolicy,
} from './policies.queries.ts'
import type { NewPolicyInput, PolicyChangeInput } from './policies.schema.ts'
import { policyFaults, type Trigger } from './policy.ts'

export const MOST_POLICIES = 100

export async function createPolicy(
  tx: Tx,
  asked: Asked,
  input: NewPolicyInput,
): Promise<PolicyRow> {
  const { tenant_id, origin, now } = asked
  const { name, type, parameters = {}, quiet_for = '24h' } = input
  const { requires_approval = ACTION_TYPES[type].asks_first, status = 'active' } = input
  const policy: PolicyRow = {
    id: newId('pol', now),
    name,
    status,
    trigger: readTrigger(input.trigger),
    department: input.department?.trim() ?? null,
    type,
    parameters,
    requires_approval,
    quiet_for,
    created_by: actorText(origin.actor),
    created_at: new Date(now),
    updated_at: new Date(now),
  }
  check(policy)
  await requireStill(tx, tenant_id, origin, 'actions:manage')
  // Invariant: the tenant's row is held until commit, so that two of them cannot both be the last.
  await lockTenant(tx, tenant_id)
  if ((await countPolicies(tx, tenant_id)) >= MOST_POLICIES) {
    throw conflict(`there are ${MOST_POLICIES} policies already; remove one first`)
  }
  await insertPolicies(tx, tenant_id, [policy])
  await settle(tx, asked, 'policy.created', null, policy)
  return policy
}

/** What is not given stays; a change to what is there already is none. */
export async function changePolicy(
  tx: Tx,
  asked: Asked,
  policy_id: string,
  change: PolicyChangeInput,
): Promise<PolicyRow> {
  const { tenant_id, origin, now } = asked
  await requireStill(tx, tenant_id, origin, 'actions:manage')
  const before = await lockPolicy(tx, tenant_id, policy_id)
  if (!before) throw notFound('policy')
  const trigger = change.trigger ? readTrigger(change.trigger) : before.trigger
  const { type = before.type } = change
  // Another type asks first by its own default, unless it is said otherwise.
  const requires_approval =
    type === before.type ? before.requires_approval : ACTION_TYPES[type].asks_first
  const department = change.department?.trim()
  const named = department === undefined ? {} : { department }
  const after: PolicyRow = { ...before, requires_approval, ...change, ...named, trigger }
  check(after)
  if (isDeepStrictEqual(before, after)) return before
  after.updated_at = new Date(now)
  await updatePolicy(tx, tenant_id, after)
  await settle(tx, asked, 'policy.updated', before, after)
  return after
}

/** The actions it set off stay as they are. */
export async function removePolicy(tx: Tx, asked: Asked, policy_id: string): Promise<void> {
  const { tenant_id, origin } = asked
  await requireStill(tx, tenant_id, origin, 'actions:manage')
  const before = await lockPolicy(tx, tenant_id, policy_id)
  if (!before) throw notFound('policy')
  await deletePolicy(tx, tenant_id, policy_id)
  await settle(tx, asked, 'policy.deleted', before, null)
}

function readTrigger(trigger: NewPolicyInput['trigger']): Trigger {
  return trigger.kind === 'event' ? { conditions: {}, ...trigger } : trigger
}

function check(policy: PolicyRow): void {
  const faults = policyFaults(policy)
  if (faults.length > 0) throw invalid(faults)
}

/** Invariant: the version is raised only where a policy in force is concerned, so 0 stays 0 until one is. */
async function settle(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  action: string,
  before: PolicyRow | null,
  after: PolicyRow | null,
): Promise<void> {
  const concerns = [before, after].some(policy => policy?.status === 'active')
  if (concerns) await raisePoliciesVersion(tx, tenant_id)
  const subject_id = (after ?? before)!.id
  const change = { action, subject_kind: 'policy', subject_id }
  await recordAudit(tx, tenant_id, now, origin, [{ ...change, before, after }])
}
