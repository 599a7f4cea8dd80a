// What a command prints for people: texts of tenants are text, whatever a terminal would make of them.
import { expect, test } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { run } from '../../test/program.ts'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { createKey } from '../keys/manage-keys.ts'

const service = await startService()
const { tenant_id } = await service.tenant()
const env = { DATABASE_URL: databaseUrl(service.address) }

/** Such names are refused by now; this one was stored before. */
const makeKey = (name: string) =>
  asOperator(service.context, tenant_id, createKey, {
    name,
    scopes: ['scores:read'],
    expires_at: null,
  })

test('the name of a key clears no screen, sets no title, adds no line and turns no text', async () => {
  const name = 'ci\u001b[2J\u001b]0;pwned\u0007\r\nkey_1\u009b31m\u202egnp'
  await makeKey(name)
  const { stdout } = await run(['key', 'list', '--tenant', tenant_id], env)
  expect(stdout).toContain('ci\ufffd[2J\ufffd]0;pwned\ufffd\ufffd\ufffdkey_1\ufffd31m\ufffdgnp')
  expect(stdout.trim().split('\n')).toHaveLength(3)
})

test('--json and an export hold them too, written out so that only who reads the JSON meets them', async () => {
  const name = 'ci\u009b31m\u007f\u202egnp'
  await makeKey(name)
  const listed = await run(['key', 'list', '--tenant', tenant_id, '--json'], env)
  expect(listed.stdout).toContain('ci\\u009b31m\\u007f\\u202egnp')
  expect(JSON.parse(listed.stdout).data.at(-1).name).toBe(name)
  const { stdout } = await run(['audit', 'export', '--tenant', tenant_id], env)
  expect(stdout).toContain('ci\\u009b31m\\u007f\\u202egnp')
  const entries = stdout.trimEnd().split('\n')
  expect(entries.map(line => JSON.parse(line).after?.name)).toContain(name)
})
