// Whatever an operator asks about a tenant that is not there is answered by the same line.
import { expect, it } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { run } from '../../test/program.ts'
import { startService } from '../../test/service.ts'

const { address } = await startService()
const env = { DATABASE_URL: databaseUrl(address) }

it.each([
  'tenant suspend',
  'tenant settings',
  'key create --name a --scopes all',
  'user list',
  'key revoke --key key_1',
  'oauth-app rotate-secret --app app_1',
  'oauth-app delete --app app_1',
  'webhook list',
  'verify',
])('%s: one line that names the tenant, and exit code 1', async command => {
  const { code, stderr } = await run([...command.split(' '), '--tenant', 'ten_nobody'], env)
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'bellwether: no such tenant: ten_nobody\n' })
})
