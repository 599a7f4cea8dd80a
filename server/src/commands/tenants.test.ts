// Limits as an operator sets them: what is below the plan is set, and said.
import { expect, it } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { run } from '../../test/program.ts'
import { startService } from '../../test/service.ts'

const service = await startService()
const { tenant_id } = await service.tenant({ plan: 'enterprise', limits: {} })
const env = { DATABASE_URL: databaseUrl(service.address) }
const limit = (...args: string[]) => run(['tenant', 'limits', '--tenant', tenant_id, ...args], env)

it('a limit below what the Enterprise plan promises is set, with a line that says so', async () => {
  const { code, stdout, stderr } = await limit('--requests', '999', '--inbound', '7', '--json')
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'below what the Enterprise plan promises: requests 999 of 1000, inbound 7 of 1000\n',
  })
  expect(JSON.parse(stdout)).toMatchObject({ requests: 999, inbound: 7, scores: 1000 })
})

it('limits of the plan or above, a burst of any size, and a look are not remarked on', async () => {
  expect((await limit()).stderr).toBe('')
  const set = await limit('--requests', '1000', '--inbound', '1001', '--burst', '1000')
  expect({ code: set.code, stderr: set.stderr }).toEqual({ code: 0, stderr: '' })
})
