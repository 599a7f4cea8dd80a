// What a notification says, and where it leads: to the page on which its subject stands.
import { expect, test } from 'vitest'
import { type Notice, sayNotice } from './notice-words.ts'

const notice = (kind: string, subject_id: string): Notice => ({
  id: 'ntf_1',
  kind,
  subject_kind: 'any',
  subject_id,
  count: 1,
  data: {},
  first_at: '',
  last_at: '',
  read: false,
})

test.for([
  ['webhook.disabled', 'whk_1', '/webhooks/whk_1'],
  ['job.failed', 'recalculation', '/rules/recalculate'],
  ['job.failed', 'preview', '/rules/recalculate'],
  ['job.failed', 'retraction', '/events/retract'],
  ['job.failed', 'settings', '/settings'],
  ['action.awaiting_approval', 'ten_1', '/actions?tab=approvals'],
  ['not.known', 'ten_1', '/'],
] as const)('%s of %s leads to %s', ([kind, subject, to]) => {
  expect(sayNotice(notice(kind, subject)).to).toBe(to)
})

test('one person may fall to critical several times, so falls are counted, not people', () => {
  const fallen = notice('employee.critical', 'ten_1')
  expect(sayNotice(fallen).title).toBe('1 person fell to critical')
  expect(sayNotice({ ...fallen, count: 1_200 }).title).toBe('People fell to critical 1,200 times')
})

test('actions that asked for approval may be decided by now, so the line does not say that they wait', () => {
  const asked = notice('action.awaiting_approval', 'ten_1')
  expect(sayNotice(asked).title).toBe('1 action asked for approval')
  expect(sayNotice({ ...asked, count: 4 }).title).toBe('4 actions asked for approval')
})

test('why a delivery failed is said as on its own page, without the stage that programs read', () => {
  const data = { url: 'https://siem.acme.test', last_error: 'status: answered 500' }
  const failing = { ...notice('webhook.failing', 'whk_1'), data }
  expect(sayNotice(failing).about).toBe('https://siem.acme.test: answered 500')
})
