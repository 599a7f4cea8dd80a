// The policies every new tenant starts with; none acts before it is switched on.
import { actorText, ENGINE } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { ACTION_TYPES } from './action-types.ts'
import { insertPolicies } from './policies.queries.ts'
import type { Policy } from './policy.ts'

type DefaultPolicy = Pick<Policy, 'name' | 'trigger' | 'type' | 'parameters'>

export const DEFAULT_POLICIES: readonly DefaultPolicy[] = [
  {
    name: 'Tell the manager when someone enters red',
    trigger: { kind: 'band_entered', bands: ['red'] },
    type: 'notify_manager',
    parameters: {},
  },
  {
    name: 'Tell the administrators when someone enters critical',
    trigger: { kind: 'band_entered', bands: ['critical'] },
    type: 'notify_admins',
    parameters: {},
  },
  {
    name: 'Restrict access when someone enters critical',
    trigger: { kind: 'band_entered', bands: ['critical'] },
    type: 'restrict_access',
    parameters: {},
  },
  {
    name: 'Assign training after credentials were submitted in a simulation',
    trigger: { kind: 'event', event_type: 'sim.credential_submitted', conditions: {} },
    type: 'assign_training',
    parameters: { course: 'phishing-basics' },
  },
  {
    name: 'Require a new second factor after an unexpected push was approved',
    trigger: { kind: 'event', event_type: 'auth.mfa_push_approved_unexpected', conditions: {} },
    type: 'require_mfa_reset',
    parameters: {},
  },
  {
    name: 'Open a ticket when a score drops by 30 within a week',
    trigger: { kind: 'score_drop', points: 30, within: '7d' },
    type: 'open_ticket',
    parameters: {},
  },
]

export async function addDefaultPolicies(tx: Tx, tenant_id: string, now: Instant): Promise<void> {
  const at = new Date(now)
  const rest = { status: 'inactive', department: null, quiet_for: '24h' } as const
  const rows = DEFAULT_POLICIES.map(policy => ({
    id: newId('pol', now),
    ...policy,
    ...rest,
    requires_approval: ACTION_TYPES[policy.type].asks_first,
    created_by: actorText(ENGINE),
    created_at: at,
    updated_at: at,
  }))
  await insertPolicies(tx, tenant_id, rows)
}
