// What a command prints for people: texts of tenants are text, whatever a terminal would make of them.
import { expect, test } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { type Browser, signIn } from '../../test/people.ts'
import { run } from '../../test/program.ts'
import { startService } from '../../test/service.ts'

const service = await startService()
const { tenant_id } = await service.tenant()
const env = { DATABASE_URL: databaseUrl(service.address) }

/** Marks that turn text are refused in names by now; a dash stands for one that was stored before. */
async function makeKey(owner: Browser, name: string): Promise<void> {
  const { status, body } = await owner.call('POST', '/admin/keys', {
    name,
    scopes: ['scores:read'],
  })
  expect(status).toBe(201)
  await service.context.db.sql`UPDATE api_keys SET name = ${name.replace('-', '\u202e')}
    WHERE tenant_id = ${tenant_id} AND key_id = ${body.id}`
}

test('the name of a key clears no screen, sets no title, adds no line and turns no text', async () => {
  const owner = await signIn(service, tenant_id)
  const name = 'ci\u001b[2J\u001b]0;pwned\u0007\r\nkey_1\u009b31m-gnp'
  await makeKey(owner, name)
  const { stdout } = await run(['key', 'list', '--tenant', tenant_id], env)
  expect(stdout).toContain('ci\ufffd[2J\ufffd]0;pwned\ufffd\ufffd\ufffdkey_1\ufffd31m\ufffdgnp')
  expect(stdout.trim().split('\n')).toHaveLength(3)
})

test('--json and an export hold them too, written out so that only who reads the JSON meets them', async () => {
  const owner = await signIn(service, tenant_id)
  const name = 'ci\u009b31m\u007f-gnp'
  await makeKey(owner, name)
  const listed = await run(['key', 'list', '--tenant', tenant_id, '--json'], env)
  expect(listed.stdout).toContain('ci\\u009b31m\\u007f\\u202egnp')
  expect(JSON.parse(listed.stdout).data.at(-1).name).toBe(name.replace('-', '\u202e'))
  const { stdout } = await run(['audit', 'export', '--tenant', tenant_id], env)
  expect(stdout).toContain('ci\\u009b31m\\u007f-gnp')
  const entries = stdout.trimEnd().split('\n')
  expect(entries.map(line => JSON.parse(line).after?.name)).toContain(name)
})
