// A tenant with as many departments as it may have: none more by any way, and views that name the largest.
import { beforeAll, describe, expect, it } from 'vitest'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { MOST_DEPARTMENTS } from './bound-departments.ts'
import { addEmployees } from './create-employee.ts'
import { create, person } from './employees.fixture.ts'

const service = await startService()
const acme = await service.tenant()

const name = (i: number) => `D${String(i).padStart(4, '0')}`
const MESSAGE =
  'a tenant has at most 5000 departments, and this one would be one more; choose one that somebody has'

beforeAll(async () => {
  const people = Array.from({ length: MOST_DEPARTMENTS - 1 }, (_, i) =>
    person({ department: name(i) }),
  )
  for (let at = 0; at < people.length; at += 1000) {
    const some = people.slice(at, at + 1000)
    await asOperator(service.context, acme.tenant_id, addEmployees, some)
  }
}, 120_000)

const refused = { code: 'CONFLICT', message: MESSAGE }
const inAll = async () => (await acme.call('GET', '/v1/employees?per_page=1')).body.pagination.total

describe('a tenant that lacks one department of the most it may have', () => {
  it('takes one of two that come at once; 409 for the other, and for each in a batch that is one too many', async () => {
    const two = await Promise.all(
      ['Last', 'Beyond'].map(department =>
        acme.call('POST', '/v1/employees', person({ department })),
      ),
    )
    expect(two.map(answer => answer.status).sort()).toEqual([201, 409])
    expect(two.find(answer => answer.status === 409)!.body.error).toMatchObject(refused)
    const before = await inAll()
    const { body } = await acme.call('POST', '/v1/employees/batch', {
      employees: [
        person({ department: 'One more' }),
        person({ department: name(7) }),
        person(),
        person({ department: 'And one' }),
        person({ department: 'One more' }),
      ],
    })
    const statuses = body.data.map((one: { status: number }) => one.status)
    expect(statuses).toEqual([409, 201, 201, 409, 409])
    expect(body.data[0].error).toEqual(refused)
    expect(await inAll()).toBe(before + 2)
  })

  it('409 for who is moved to one more, 200 to one that somebody has, to none, and to a new one when another is empty', async () => {
    const { id } = await create(acme, { department: name(8) })
    const move = async (department: string) => {
      const { status, body } = await acme.call('PATCH', `/v1/employees/${id}`, { department })
      return status === 200 ? body.department : [status, body.error.message]
    }
    expect(await move('Beyond all')).toEqual([409, MESSAGE])
    expect(await move(name(9))).toBe(name(9))
    expect(await move('')).toBe('')
    const { body } = await acme.call('GET', `/v1/employees?department=${name(10)}`)
    const only = `/v1/employees/${body.data[0].id}`
    expect((await acme.call('PATCH', only, { department: name(11) })).status).toBe(200)
    expect(await move('Beyond all')).toBe('Beyond all')
    expect(await move('Beyond everything')).toEqual([409, MESSAGE])
  })
})

describe('GET /v1/scores/departments', () => {
  it('200 names the thousand largest, the first by name of those that are equal, by name, and says that there are more', async () => {
    const large = ['Zoology', 'Ärzte', 'zoo'].map(department => `${department} ${name(0)}`)
    const { tenant_id, call } = await service.tenant()
    const people = Array.from({ length: 1100 }, (_, i) => person({ department: name(i) }))
    const more = large.flatMap(department => [person({ department }), person({ department })])
    await asOperator(service.context, tenant_id, addEmployees, [...people, ...more])
    const { body, text } = await call('GET', '/v1/scores/departments').then(answer => ({
      ...answer,
      text: JSON.stringify(answer.body),
    }))
    expect(body.truncated).toBe(true)
    const names: string[] = body.data.map((one: { department: string }) => one.department)
    const expected = [...Array.from({ length: 997 }, (_, i) => name(i)), ...large].sort()
    expect(names).toEqual(expected)
    const band_distribution = expect.objectContaining({ yellow: { count: 2, percentage: 100 } })
    expect(body.data.at(-1)).toEqual({
      department: large[1],
      average_score: 75,
      employee_count: 2,
      band_distribution,
    })
    expect(text.length).toBeLessThan(1024 * 1024)
  })

  it('200 says nothing of more where there are a thousand', async () => {
    const { tenant_id, call } = await service.tenant()
    const people = Array.from({ length: 1000 }, (_, i) => person({ department: name(i) }))
    await asOperator(service.context, tenant_id, addEmployees, people)
    const { body } = await call('GET', '/v1/scores/departments')
    expect(Object.keys(body)).toEqual(['data'])
    expect(body.data).toHaveLength(1000)
  })
})
