// Answers kept for a repeat are copies of what they told: those that tell of people name them, and go with them.
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { hire } from '../actions/actions.fixture.ts'

const service = await startService()
const tenant = await service.tenant()

/** Fields by which an answer tells of somebody more than ids and numbers. */
const WORDS = ['email', 'employee_email', 'first_name', 'parameters', 'details', 'note']

/** Operations that may be repeated under one key and tell of people: each says in its answer of whom. */
const TELL = [
  'POST /v1/actions',
  'POST /v1/actions/{id}/approve',
  'POST /v1/actions/{id}/complete',
  'POST /v1/actions/{id}/fail',
  'POST /v1/actions/{id}/reject',
  'POST /v1/employees',
  'POST /v1/employees/batch',
  'POST /v1/events/{id}/retract',
]
/** The words in these are of an error, or of nobody. */
const TELL_NOBODY = ['POST /v1/events/batch']

type Schema = { [key: string]: any }

test('every operation that may be repeated and tells of people is known', async () => {
  const { body: document } = await tenant.call('GET', '/openapi.json')
  const tells = (schema: Schema, seen = new Set<string>()): boolean => {
    if (typeof schema !== 'object' || schema === null) return false
    if (typeof schema.$ref === 'string') {
      if (seen.has(schema.$ref)) return false
      const name = schema.$ref.split('/').at(-1)!
      return tells(document.components.schemas[name], new Set([...seen, schema.$ref]))
    }
    const names = Object.keys(schema.properties ?? {})
    return (
      names.some(name => WORDS.includes(name)) ||
      Object.values(schema).some(one => tells(one as Schema, seen))
    )
  }
  const found = Object.entries<Schema>(document.paths).flatMap(([path, item]) => {
    const { post } = item
    const parameters = JSON.stringify(post?.parameters ?? []).toLowerCase()
    if (!parameters.includes('idempotency')) return []
    const answers = Object.entries<Schema>(post.responses).filter(([status]) => status < '300')
    return answers.some(([, answer]) => tells(answer.content ?? {})) ? [`POST ${path}`] : []
  })
  expect(found.filter(one => !TELL_NOBODY.includes(one)).sort()).toEqual(TELL)
})

test('whom an answer tells of is kept beside it', async () => {
  let n = 0
  const keyed = async (path: string, body: object) => {
    const answer = await tenant.call('POST', path, body, { 'idempotency-key': `k-${++n}` })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  const person = { email: 'zebrafinch@example.com', first_name: 'Zelda', last_name: 'Zebrafinch' }
  const { id } = await keyed('/v1/employees', person)
  const more = [1, 2].map(i => ({ ...person, email: `zebrafinch${i}@example.com` }))
  await keyed('/v1/employees/batch', { employees: [...more, person] })
  const action = { employee_id: id, type: 'open_ticket', note: 'zebrafinch' }
  const { id: asked } = await keyed('/v1/actions', action)
  await keyed(`/v1/actions/${asked}/complete`, { note: 'zebrafinch' })
  await keyed(`/v1/actions/${(await keyed('/v1/actions', action)).id}/fail`, {
    outcome: 'zebrafinch',
  })
  const seen = {
    type: 'custom.seen',
    employee_email: person.email,
    details: { text: 'zebrafinch' },
  }
  const event = await keyed('/v1/events', seen)
  await keyed('/v1/events/batch', { events: [seen] })
  await keyed(`/v1/events/${event.id}/retract`, { reason: 'zebrafinch' })
  const kept = await service.context.db.sql<{ request: string; employee_ids: string[] | null }[]>`
    SELECT request, employee_ids FROM idempotent_answers
    WHERE tenant_id = ${tenant.tenant_id} AND lower(answer) LIKE '%zebrafinch%'`
  expect(kept).toHaveLength(7)
  expect(kept.filter(one => one.employee_ids === null)).toEqual([])
  const other = await hire(tenant)
  await keyed('/v1/actions', { ...action, employee_id: other.id, note: '' })
  await tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
  const left = await service.context.db.sql<{ answer: string | null }[]>`
    SELECT answer FROM idempotent_answers
    WHERE tenant_id = ${tenant.tenant_id} AND employee_ids @> ARRAY[${id}]`
  expect(left.map(one => one.answer)).toEqual(left.map(() => null))
  const theirs = await service.context.db.sql`SELECT 1 FROM idempotent_answers
    WHERE tenant_id = ${tenant.tenant_id} AND employee_ids @> ARRAY[${other.id}] AND answer IS NOT NULL`
  expect(theirs).toHaveLength(1)
})
