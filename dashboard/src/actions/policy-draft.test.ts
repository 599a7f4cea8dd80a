// What a changed policy sends of itself.
import { expect, test } from 'vitest'
import type { Policy } from './policy.ts'
import { draftPolicy, policyChanges } from './policy-draft.ts'

const POLICY: Policy = {
  id: 'pol_1',
  name: 'Tell them',
  status: 'active',
  department: null,
  quiet_for: '24h',
  trigger: {
    kind: 'event',
    event_type: 'sim.link_clicked',
    conditions: { severity: { eq: 'high' } },
  },
  type: 'notify_manager',
  parameters: { message: 'Hello' },
  requires_approval: true,
}
const begun = draftPolicy(POLICY)

test('a policy that was only opened has no changes', () => {
  expect(policyChanges(begun, draftPolicy(POLICY))).toEqual({})
})

test('only what was changed is sent', () => {
  expect(policyChanges(begun, { ...begun, name: 'Tell her' })).toEqual({ name: 'Tell her' })
})

test('another type keeps the approval that was chosen with it', () => {
  const draft = { ...begun, type: 'open_ticket', requires_approval: true } as const
  expect(policyChanges(begun, draft)).toEqual({
    type: 'open_ticket',
    requires_approval: true,
    parameters: { message: 'Hello' },
  })
})
