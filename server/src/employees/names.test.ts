// Who people are, by id: only one's own.
import { expect, it } from 'vitest'
import { signIn } from '../../test/people.ts'
import { hire } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'

const service = await startService()
const acme = await service.tenant({ name: 'Acme' })
const other = await service.tenant({ name: 'Other' })
const viewer = await signIn(service, acme.tenant_id, 'viewer')

it("200: names those asked for, and nobody of another tenant's", async () => {
  const [ada] = await hire(service, acme, ['ada@acme.test', 'bob@acme.test'])
  const [eve] = await hire(service, other, ['eve@other.test'])
  const { body } = await viewer.call('GET', `/admin/employees/names?ids=${ada},${eve},emp_none`)
  expect(body.data).toEqual([
    { id: ada, email: 'ada@acme.test', first_name: 'Ada', last_name: 'Moss' },
  ])
})
