// The list of employees: every filter, search, sort and page, held against a plain reading of the same people.
import { beforeAll, describe, expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { hire, ingest } from '../../test/scenario.ts'
import { type Service, START, startService, type Tenant } from '../../test/service.ts'
import { askAsOperator, asOperator } from '../accounts/identity.ts'
import { DAY } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { addEmployees } from './create-employee.ts'
import { type EmployeeFilter, listEmployees, type Way } from './employee-lists.queries.ts'
import { create, happen } from './employees.fixture.ts'
import { readEmployeePage } from './list-employees.ts'
import { countByText, findFew } from './search.queries.ts'

type Someone = {
  id: string
  email: string
  first_name: string
  last_name: string
  department: string
  score: number
  band: string
  status: string
  last_event_at: string | null
}

let service: Service
let acme: Tenant
let everyone: Someone[]

const PEOPLE = [
  ['Zoe', 'Abel', 'Finance', ['sim.link_clicked']],
  ['Amy', 'Abel', 'Finance', []],
  ['Bob', 'Moss', 'Legal', ['endpoint.malware_detected', 'sim.credential_submitted']],
  ['Cy', 'Moss', 'Legal', ['training.completed']],
  ['Dee', 'Moss', '', []],
  ['Amy', 'Abel', '', ['sim.link_clicked']],
  ['Eve', 'Quinn', 'Finance', ['auth.mfa_disabled']],
] as const

beforeAll(async () => {
  service = await startService()
  acme = await service.tenant()
  await create(await service.tenant(), { last_name: 'Stranger' })
  for (const [first_name, last_name, department, events] of PEOPLE) {
    const { id, email } = await create(acme, { first_name, last_name, department })
    service.clock.advance(1000)
    for (const event of events) await happen(acme, email, event)
    if (first_name === 'Eve')
      await acme.call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
  }
  service.clock.advance(20 * DAY)
  for (const { email } of await list('')) await happen(acme, email, 'custom.nothing')
  await create(acme, { first_name: 'Late', last_name: 'Comer', department: 'Legal' })
  await create(acme, { first_name: 'Later', last_name: 'Comer', department: 'Legal' })
  everyone = await list('')
})

async function list(query: string): Promise<Someone[]> {
  const answer = await acme.call('GET', `/v1/employees?per_page=100&${query}`)
  expect(answer.status).toBe(200)
  expect(answer.body.pagination.total).toBe(answer.body.data.length)
  return answer.body.data
}

const ids = (people: readonly Someone[]) => people.map(one => one.id)
const by =
  (...reads: ((one: Someone) => string | number | null)[]) =>
  (a: Someone, b: Someone) => {
    for (const read of reads) {
      const [x, y] = [read(a), read(b)]
      if (x !== y) return x === null ? 1 : y === null ? -1 : x < y ? -1 : 1
    }
    return 0
  }

describe('GET /v1/employees', () => {
  it('200 gives exactly the list view', async () => {
    const [one] = await list('search=zoe')
    expect(one).toEqual({
      id: expect.stringMatching(/^emp_/),
      email: expect.stringContaining('@'),
      first_name: 'Zoe',
      last_name: 'Abel',
      department: 'Finance',
      manager_email: '',
      score: 54,
      band: 'orange',
      status: 'active',
      last_event_at: '2026-03-22T09:00:07.000Z',
      created_at: '2026-03-02T09:00:00.000Z',
    })
  })

  it('200 sorts by name, then id, unless told otherwise', () => {
    const names = by(
      one => one.last_name,
      one => one.first_name,
      one => one.id,
    )
    expect(ids(everyone)).toEqual(ids(everyone.toSorted(names)))
    expect(everyone.map(one => one.first_name).slice(0, 3)).toEqual(['Amy', 'Amy', 'Zoe'])
  })

  it('200 sorts both ways; ties turn with the order', async () => {
    const name = by(
      one => one.last_name,
      one => one.first_name,
      one => one.id,
    )
    const score = by(
      one => one.score,
      one => one.id,
    )
    expect(ids(await list('sort=name&order=desc'))).toEqual(ids(everyone.toSorted(name).reverse()))
    expect(ids(await list('sort=score'))).toEqual(ids(everyone.toSorted(score)))
    expect(ids(await list('sort=score&order=desc'))).toEqual(
      ids(everyone.toSorted(score).reverse()),
    )
  })

  it('200 last_event puts those without events last, in both orders', async () => {
    const happened = everyone.filter(one => one.last_event_at !== null)
    const nothing = everyone.filter(one => one.last_event_at === null).toSorted(by(one => one.id))
    const latest = by(
      one => one.last_event_at,
      one => one.id,
    )
    expect(nothing).toHaveLength(2)
    expect(ids(await list('sort=last_event'))).toEqual(
      ids([...happened.toSorted(latest), ...nothing]),
    )
    expect(ids(await list('sort=last_event&order=desc'))).toEqual(
      ids([...happened.toSorted(latest).reverse(), ...nothing.toReversed()]),
    )
  })

  it('200 pages join to the whole list in every order', async () => {
    for (const sort of ['name', 'score', 'last_event']) {
      for (const order of ['asc', 'desc']) {
        const query = `sort=${sort}&order=${order}`
        const pages = []
        for (const page of [1, 2, 3, 4]) {
          const path = `/v1/employees?${query}&per_page=4&page=${page}`
          const { body } = await acme.call('GET', path)
          expect(body.pagination).toEqual({ page, per_page: 4, total: 9, total_pages: 3 })
          pages.push(...body.data)
        }
        expect(ids(pages)).toEqual(ids(await list(query)))
      }
    }
  })

  it('200 every filter, alone and together, with its total', async () => {
    const filters = {
      department: [undefined, 'Finance', 'Legal', '', 'finance', 'Nowhere'],
      band: [undefined, 'green', 'yellow', 'orange', 'red', 'critical'],
      status: [undefined, 'active', 'inactive'],
    }
    for (const department of filters.department) {
      for (const band of filters.band) {
        for (const status of filters.status) {
          const wanted = { department, band, status }
          const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
          const expected = everyone.filter(one =>
            given.every(([name, value]) => one[name as keyof Someone] === value),
          )
          const query = new URLSearchParams(given as [string, string][])
          expect([wanted, ids(await list(query.toString()))]).toEqual([wanted, ids(expected)])
        }
      }
    }
    const bands = new Set(everyone.map(one => one.band))
    expect([...bands].sort()).toEqual(['critical', 'green', 'orange', 'yellow'])
  })

  it('200 a tenant without employees has no pages', async () => {
    const { call } = await service.tenant()
    expect((await call('GET', '/v1/employees')).body).toEqual({
      data: [],
      pagination: { page: 1, per_page: 25, total: 0, total_pages: 0 },
    })
  })

  it('200 a page past the end is empty', async () => {
    const { body } = await acme.call('GET', '/v1/employees?page=1000000&per_page=100')
    expect(body).toMatchObject({ data: [], pagination: { page: 1_000_000, total: 9 } })
  })

  it.each([
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=99999999999', 'page'],
    ['page=x', 'page'],
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['band=blue', 'band'],
    ['band=', 'band'],
    ['status=gone', 'status'],
    ['sort=email', 'sort'],
    ['order=up', 'order'],
    ['limit=5', 'limit'],
    ['department=A&department=B', 'department'],
    [`search=${'x'.repeat(201)}`, 'search'],
    ['search=%00', 'search'],
    ['department=%ED%A0%80', undefined],
    ['search=%', undefined],
  ])('400 refuses ?%s by name', async (query, path) => {
    const answer = await acme.call('GET', `/v1/employees?${query}`)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.details?.[0].path).toBe(path)
  })
})

describe('GET /v1/employees?search=', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await service.tenant()
    await create(tenant, {
      first_name: 'Ann_a',
      last_name: '100%',
      email: 'under_score@example.com',
    })
    await create(tenant, { first_name: 'Annxa', last_name: 'Ümläut', email: 'Big+Tag@Example.com' })
    await create(tenant, { first_name: 'Back\\slash', last_name: "O'Hara", department: 'Legal' })
    await create(tenant, { first_name: 'Gapped', last_name: 'abcde-bcdef 🦊🦉🦅🦇🦎' })
    await create(tenant, { first_name: 'Zoe\u0301', last_name: 'Apart' })
    await create(tenant, { first_name: 'Νίκος', last_name: 'Στασινός', email: 'nikos@example.gr' })
  })

  it.each([
    ['ann', ['Ann_a', 'Annxa']],
    ['ANN_A', ['Ann_a']],
    ['n_a', ['Ann_a']],
    ['0%', ['Ann_a']],
    ['%', ['Ann_a']],
    ['_', ['Ann_a']],
    ['\\', ['Back\\slash']],
    ['k\\s', ['Back\\slash']],
    ["o'hara", ['Back\\slash']],
    ['ÜMLÄ', ['Annxa']],
    ['annxa ümläut', ['Annxa']],
    ['big+tag@example.COM', ['Annxa']],
    ['@example.com', ['Ann_a', 'Annxa', 'Back\\slash', 'Gapped', 'Zoe\u0301']],
    ['', ['Ann_a', 'Annxa', 'Back\\slash', 'Gapped', 'Zoe\u0301', 'Νίκος']],
    ['100%', ['Ann_a']],
    ['a 100%', ['Ann_a']],
    ['under_score', ['Ann_a']],
    ['underxscore', []],
    ['back\\slash', ['Back\\slash']],
    ['ümläut', ['Annxa']],
    ['abcde', ['Gapped']],
    ['abcdef', []],
    ['🦉🦅', ['Gapped']],
    ['🦊🦉🦅', ['Gapped']],
    ['🦊🦉🦅🦇🦎', ['Gapped']],
    ['🦊🦉🦅🦎🦇', []],
    // One letter, or one with its accent after it: they look the same and are found the same.
    ['zo\u00e9', ['Zoe\u0301']],
    ['ZOE\u0301', ['Zoe\u0301']],
    ['zo\u00e9 apart', ['Zoe\u0301']],
    ['U\u0308mla\u0308ut', ['Annxa']],
    ['umlaut', []],
    // Capitals do not tell where a word ends.
    ['ΝΊΚΟΣ', ['Νίκος']],
    ['ΣΤΑΣ', ['Νίκος']],
    ['νίκοσ', ['Νίκος']],
    ['100% under', []],
    ['Legal', []],
  ])('200 finds %j literally, in name or email alone', async (search, expected) => {
    const query = new URLSearchParams({ search })
    const { body } = await tenant.call('GET', `/v1/employees?${query}`)
    const names = body.data.map((one: Someone) => one.first_name).sort()
    expect(names).toEqual(expected)
    expect(body.pagination.total).toBe(expected.length)
  })

  it('200 narrows together with the other filters', async () => {
    const query = 'search=example&department=Legal&status=active'
    const { body } = await tenant.call('GET', `/v1/employees?${query}`)
    expect(body.data.map((one: Someone) => one.last_name)).toEqual(["O'Hara"])
    expect(body.pagination.total).toBe(1)
  })

  it('200 counts many exactly, with and without other filters', async () => {
    const crowd = await service.tenant()
    const people = Array.from({ length: 1200 }, (_, i) => {
      const [department, last_name] = [i % 3 === 0 ? 'Legal' : 'Sales', i < 1100 ? 'Crowd' : 'Few']
      return { email: `p${i}@crowd.example`, first_name: 'Ada', last_name, department }
    })
    const { context } = service
    await asOperator(context, crowd.tenant_id, addEmployees, people)
    const total = async (query: string) =>
      (await crowd.call('GET', `/v1/employees?${query}`)).body.pagination.total
    expect(await total('search=ada%20crowd')).toBe(1100)
    expect(await total('search=ada%20crowd&department=Legal')).toBe(367)
    expect(await total('search=ada&department=Legal')).toBe(400)
    expect(await total('search=ada&status=inactive')).toBe(0)
    expect(await total('search=ada%20few&department=Legal')).toBe(33)
  })

  it.each(['asc', 'desc'] as const)(
    'lists few, many and very many in the same order, %s',
    async order => {
      const crowd = await service.tenant()
      const { tenant_id } = crowd
      const names = Array.from({ length: 1100 }, (_, i) => `Crowd${(i * 7919) % 1009}`)
      await hire(service, crowd, ['other@far.example'])
      const people = names.map((last_name, i) => {
        return { email: `p${i}@crowd.example`, first_name: 'Ada', last_name, department: 'Sales' }
      })
      await service.context.db.inTenant(tenant_id, tx =>
        addEmployees(tx, askAsOperator(tenant_id, START), people),
      )
      for (const search of ['crowd.example', 'crow']) {
        const asked = { per_page: 25, offset: 500 }
        const sorting = { sort: 'name', order } as const
        const [few, many, most] = await service.context.db.inTenant(tenant_id, async tx => {
          const ids = await findFew(tx, tenant_id, search, 5000)
          const list = (few: string[] | null, way: Way) =>
            listEmployees(tx, tenant_id, { filter: { search, few }, order: sorting, way }, asked)
          return Promise.all([list(ids, 'sorted'), list(null, 'sorted'), list(null, 'walked')])
        })
        expect(few).toHaveLength(25)
        expect(many).toEqual(few)
        expect(most).toEqual(few)
        const url = `/v1/employees?search=${search}&order=${order}&page=21`
        const { body } = await crowd.call('GET', url)
        expect(body.data.map((one: Someone & { id: string }) => one.id)).toEqual(
          few!.map(one => one.id),
        )
        expect(body.pagination.total).toBe(1100)
      }
    },
  )

  it.each([
    ['gapp', 0],
    ['gapped', 2],
    ['🦊🦉🦅🦇', 0],
  ])('finds and counts %j by the index of five letters: %i looks', async (search, looks) => {
    const { tenant_id } = tenant
    const readScans = async (tx: Tx) => {
      const [row] = await tx<{ scans: number }[]>`
        SELECT pg_stat_get_xact_numscans('employees_grams'::regclass) AS scans`
      return row!.scans
    }
    await service.context.db.inTenant(tenant_id, async tx => {
      const before = await readScans(tx)
      expect(await findFew(tx, tenant_id, search, 20)).toHaveLength(1)
      expect(await countByText(tx, tenant_id, search)).toBe(1)
      expect((await readScans(tx)) - before).toBe(looks)
    })
  })

  it('has an index to stand on where the extensions are there', async () => {
    const rows = await service.context.db.inTenant(
      tenant.tenant_id,
      tx => tx`SELECT indexdef FROM pg_indexes WHERE indexname = 'employees_search'`,
    )
    expect(rows[0]?.indexdef).toContain('gin (tenant_id, search_text gin_trgm_ops)')
  })
})

describe('a list read straight, along its order and sorted', () => {
  let crowd: Tenant

  beforeAll(async () => {
    crowd = await service.tenant()
    for (const department of ['Sales', 'Legal', 'Ops']) {
      const emails = Array.from({ length: 20 }, (_, i) => `${department}${i}@ways.example`)
      await hire(service, crowd, emails, department)
      const some = emails.filter((_, i) => i % 2 === 0)
      const again = some.slice(0, 5)
      const happened = [...some, ...again].map(email => ({ email, type: 'auth.mfa_disabled' }))
      await ingest(service, crowd, happened)
    }
  })

  it.each<[number, EmployeeFilter]>([
    [21, {}],
    [20, { department: 'Legal' }],
    [21, { bands: ['green', 'yellow'] }],
    [21, { min_score: 1, max_score: 99 }],
    [21, { status: 'active' }],
    [0, { status: 'inactive' }],
    [20, { department: 'Ops', max_score: 99 }],
    [21, { search: 'ways' }],
    [20, { search: 'legal', bands: ['green', 'yellow', 'orange'] }],
  ])(
    'has the same %i people in the same order, whatever it is sorted by: %o',
    async (most, filter) => {
      const { tenant_id } = crowd
      for (const sort of ['name', 'score', 'last_event', 'department'] as const) {
        for (const direction of ['asc', 'desc'] as const) {
          const order = { sort, order: direction }
          const read = (tx: Tx, way: Way) =>
            [0, 7, 14].map(offset =>
              listEmployees(tx, tenant_id, { filter, order, way }, { per_page: 7, offset }),
            )
          const list = (way: Way) =>
            service.context.db.inTenant(tenant_id, tx => Promise.all(read(tx, way)))
          const walked = (await list('walked')).flat()
          expect(walked).toHaveLength(most)
          expect((await list('sorted')).flat()).toEqual(walked)
          expect((await list('straight')).flat()).toEqual(walked)
        }
      }
    },
  )

  it('sorts the few of a department and walks along the names of the many', async () => {
    const firm = await service.tenant()
    const { tenant_id } = firm
    const emails = Array.from({ length: 400 }, (_, i) => `p${i}@firm.example`)
    await hire(service, firm, emails.slice(0, 396), 'Many')
    await hire(service, firm, emails.slice(396), 'Few')
    await service.context.db.sql`ANALYZE employee_states, employees, score_counts`
    const read = (department: string) =>
      service.context.db.inTenant(tenant_id, async tx => {
        const before = await countRead(tx, 'employee_states')
        const { data } = await readEmployeePage(tx, tenant_id, { department, per_page: 10 })
        return [data.length, (await countRead(tx, 'employee_states')) - before] as const
      })
    const [few, many] = [await read('Few'), await read('Many')]
    expect([few[0], many[0]]).toEqual([4, 10])
    expect(few[1]).toBeLessThan(40)
    expect(many[1]).toBeLessThan(100)
  })
})
