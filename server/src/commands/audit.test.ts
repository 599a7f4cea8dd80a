// The operator's proofs: a log that is there is proven and printed, one of nobody is never called whole.
import { expect, it } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { run } from '../../test/program.ts'
import { startService } from '../../test/service.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { RESERVED_TENANT } from '../platform/database.ts'

const { address, clock, context, tenant } = await startService()
const { tenant_id } = await tenant()
const env = { DATABASE_URL: databaseUrl(address) }

const COMMANDS = ['audit verify', 'audit export', 'audit head']

async function runOf(id: string) {
  const ran = await Promise.all(
    COMMANDS.map(command => run([...command.split(' '), '--tenant', id], env)),
  )
  return ran.map(({ code, stdout, stderr }) => ({ code, printed: stdout !== '', stderr }))
}

it('of a tenant that is not there: one clear line and exit code 1', async () => {
  const stderr = 'bellwether: --tenant: there is no audit log of ten_nobody\n'
  expect(await runOf('ten_nobody')).toEqual(Array(3).fill({ code: 1, printed: false, stderr }))
})

it('of a tenant, and of what belongs to none: exit code 0', async () => {
  const change = { action: 'login.failed', subject_kind: 'user', subject_id: 'usr_1' }
  await context.db.inTenant(RESERVED_TENANT, tx =>
    recordAudit(tx, RESERVED_TENANT, clock.now(), operatorOrigin(), [change]),
  )
  const ran = [...(await runOf(tenant_id)), ...(await runOf(RESERVED_TENANT))]
  expect(ran).toEqual(Array(6).fill({ code: 0, printed: true, stderr: '' }))
})
