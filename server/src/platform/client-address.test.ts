// Behind a proxy that names the port as well, or no address: what is kept of where somebody came from.
import { expect, test } from 'vitest'
import { addPerson, openBrowser, PASSWORD } from '../../test/people.ts'
import { caller, startService } from '../../test/service.ts'
import { clientAddress } from './client-address.ts'

const service = await startService({ trust_proxy: '127.0.0.1' })

test.each([
  ['203.0.113.30', '203.0.113.30'],
  ['203.0.113.30:4711', '203.0.113.30'],
  ['0177.0.0.01', '127.0.0.1'],
  ['256.0.0.1', 'unknown'],
  ['::ffff:203.0.113.30', '203.0.113.30'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['evil:1', 'unknown'],
  ['x'.repeat(5000), 'unknown'],
])('%s is kept as %s', (given, kept) => {
  expect(clientAddress(given)).toBe(kept)
})

test('the audit log and the list of sessions hold the address alone', async () => {
  const tenant = await service.tenant()
  const headers = { 'x-forwarded-for': '[2001:db8:7::1]:4711' }
  const rule = { name: 'Open', event_type: 'custom.open', category: 'custom', impact: -1 }
  const made = await caller(service.app, tenant.key)('POST', '/v1/rules', rule, headers)
  expect(made.status).toBe(201)
  const { email } = await addPerson(service, tenant.tenant_id, 'admin')
  const browser = openBrowser(service)
  await browser.call('POST', '/session/login', { email, password: PASSWORD }, headers)
  const log = await tenant.call('GET', '/v1/audit?action=rule.created&per_page=1')
  expect(log.body.data[0].address).toBe('2001:db8:7::1')
  const sessions = await browser.call('GET', '/session/sessions')
  expect(sessions.body.data[0].address).toBe('2001:db8:7::1')
})
