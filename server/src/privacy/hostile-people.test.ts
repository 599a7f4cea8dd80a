// People named like the words of the configuration: erasing one touches the rows that lead to them and nothing else.
import { describe, expect, test } from 'vitest'
import { listTouched, readTenantRows } from '../../test/person-rows.ts'
import { type Service, startService } from '../../test/service.ts'
import { addPolicy, openDesk } from '../actions/actions.fixture.ts'

const service: Service = await startService()

/** Names, addresses and departments that mean something else to this tenant. */
const HOSTILE: readonly [first: string, last: string, email: string, department: string][] = [
  ['not', 'in', 'not_in@example.com', 'not_in'],
  ['hooks', 'acme', 'hooks@acme.example', 'hooks.acme.example'],
  ['Engineering', 'Engineering', 'engineering@engineering', 'Engineering'],
  ['severity', 'high', 'severity@high', 'severity'],
  ['active', 'yellow', 'active@yellow', 'active'],
  ['Loud', 'click', 'loud@click', 'Loud click'],
  ['custom', 'seen', 'custom.seen@custom', 'custom.seen'],
  ['employee', 'created', 'employee@created', 'employee.created'],
  ['Bo', 'Berg', 'bo@berg.example.com', 'Engineering'],
  ['null', 'true', 'null@true', 'null'],
]

async function openAcme() {
  const tenant = await service.tenant()
  const desk = await openDesk(service, tenant)
  const { call } = tenant
  const made = async (path: string, body: object, key: string) => {
    const answer = await call('POST', path, body, { 'idempotency-key': key })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body
  }
  const events = ['event.ingested', 'employee.created', 'score.updated', 'action.triggered']
  const url = 'https://hooks.acme.example/employee.created/not_in?severity=high'
  await made('/v1/webhooks', { url, description: 'Engineering hooks acme', events }, 'hook')
  const conditions = { severity: { not_in: ['low', 'null'] }, 'not.in': { exists: false } }
  const rule = { name: 'Loud click', event_type: 'custom.seen', category: 'custom', impact: -3 }
  await made('/v1/rules', { ...rule, conditions }, 'rule')
  const enters = { kind: 'band_entered', bands: ['red'] }
  await addPolicy(desk, enters, { name: 'active yellow', department: 'Engineering' })
  const bo = { first_name: 'Bo', last_name: 'Berg', department: 'Engineering' }
  const other = { ...bo, email: 'bo.berg@example.com', title: 'not in severity' }
  const { id } = await made('/v1/employees', other, 'Bo-Berg')
  const details = {
    severity: 'high',
    text: 'not in, hooks acme, Bo Berg, active yellow',
    user: 'null',
  }
  const seen = { type: 'custom.seen', employee_email: other.email, details }
  await made('/v1/events', { ...seen, external_id: 'severity-high' }, 'not-in')
  const action = { employee_id: id, type: 'open_ticket', note: 'Engineering: Bo Berg, not in' }
  await made('/v1/actions', action, 'hooks@acme.example')
  const lost = {
    source: 'hooks',
    event_type: 'severity.high',
    employee: { email: 'no@body.example' },
  }
  await call('POST', '/v1/events/webhook', { ...lost, details })
  return { ...tenant, made, seen }
}

const acme = await openAcme()

describe('POST /v1/employees/:id/erase', () => {
  test.each(HOSTILE)(
    '200 of %s %s leaves every other row as it was, and events go on',
    async (first_name, last_name, email, department) => {
      const person = {
        first_name,
        last_name,
        email,
        department,
        title: first_name,
        location: last_name,
      }
      const { id } = await acme.made('/v1/employees', person, email)
      await acme.made(
        '/v1/events',
        { ...acme.seen, employee_email: email, external_id: email },
        `${email}/event`,
      )
      const rows = () => readTenantRows(service.context.db, acme.tenant_id)
      const before = await rows()
      const erased = await acme.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
      expect(erased.status, JSON.stringify(erased.body)).toBe(200)
      expect(listTouched(before, await rows(), id)).toEqual([])
      const later = await acme.call('POST', '/v1/events', acme.seen)
      expect(later, JSON.stringify(later.body)).toMatchObject({ status: 201, body: { impact: -3 } })
    },
  )
})
