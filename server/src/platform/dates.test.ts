// Dates at the end of what can be written: the instant counts, and an open end is an end.
import { expect, it } from 'vitest'
import { startService } from '../../test/service.ts'
import { parseMoment, parseSpan } from './dates.ts'

it('a zone that moves a moment out of the years that are known makes it none', () => {
  expect(parseMoment('9999-12-31T23:59:59-12:00')).toBeNull()
  expect(parseMoment('1970-01-01T00:00:00+01:00')).toBeNull()
  expect(parseMoment('9999-12-31T23:59:59Z')).toBe(Date.UTC(9999, 11, 31, 23, 59, 59))
  expect(parseSpan('9999-12-31T23:59:59-12:00')).toBeNull()
})

it('a zone east of Greenwich may be written in a query as it is, with a plain plus sign', async () => {
  const service = await startService()
  const tenant = await service.tenant()
  await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
  const found = async (query: string) => {
    const { status, body } = await tenant.call('GET', `/v1/audit?${query}`)
    return [status, body.data?.length > 0]
  }
  expect(await found('from=2026-03-02T10:00:00+01:00')).toEqual([200, true])
  expect(await found('from=2026-03-02T10:00:01+0100')).toEqual([200, false])
  expect(await found('to=2026-03-02T09:59:59.999+01:00')).toEqual([200, false])
  for (const text of [
    '2026-03-02 10:00',
    '2026-03-02T10:00: 01:00',
    '2026-03-02T10:00:00  01:00',
  ]) {
    expect([text, parseSpan(text)]).toEqual([text, null])
  }
})

it('a day or an hour that there is not is told apart from what is no date', async () => {
  const service = await startService()
  const tenant = await service.tenant()
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
  const { id } = (await tenant.call('POST', '/v1/employees', person)).body
  const none = 'must be an ISO 8601 date or date-time that exists'
  const form = 'must be an ISO 8601 date (2026-03-01) or date-time with zone (2026-03-01T09:00:00Z)'
  for (const [text, message] of [
    ['2026-11-31', none],
    ['2026-11-30T24:00:00Z', none],
    ['30.11.2026', form],
    ['2026-11-30T10:00:00', form],
  ]) {
    const events = await tenant.call('GET', `/v1/events?to=${text}`)
    expect(events.body.error?.details).toEqual([{ path: 'to', message }])
    const at = await tenant.call('GET', `/v1/employees/${id}/explanation?at=${text}`)
    expect(at.body.error?.details).toEqual([{ path: 'at', message }])
  }
})

it('the timestamp of a body is told apart in the same way, in every form of sending', async () => {
  const service = await startService()
  const tenant = await service.tenant()
  const form = 'must be an ISO 8601 date-time with zone (2026-03-01T09:00:00Z)'
  const none = 'must be an ISO 8601 date-time that exists'
  for (const [timestamp, message] of [
    ['2026-02-30T09:00:00Z', none],
    ['2026-03-01T24:00:00+01:00', none],
    ['1969-12-31T23:59:59Z', 'must not be before 1970'],
    ['2026-02-30', form],
    ['2026-03-01T09:00:00', form],
    ['2026-03-01T09:00:00 01:00', form],
    ['yesterday', form],
  ]) {
    const details = [{ path: 'timestamp', message }]
    const event = { type: 'custom.x', employee_email: 'ada@example.com', timestamp }
    const one = await tenant.call('POST', '/v1/events', event)
    expect(one.body.error?.details).toEqual(details)
    const many = await tenant.call('POST', '/v1/events/batch', { events: [event] })
    expect(many.body.data[0].error?.details).toEqual(details)
    const sent = {
      source: 'x',
      event_type: 'a.b',
      employee: { email: 'ada@example.com' },
      timestamp,
    }
    const inbound = await tenant.call('POST', '/v1/events/webhook', sent)
    expect(inbound.body.error?.details).toEqual(details)
  }
})

it('the last days that can be written are answered everywhere', async () => {
  const service = await startService()
  const tenant = await service.tenant()
  const rule = await tenant.call('GET', '/v1/rules?per_page=1')
  const lists = ['/v1/events', '/v1/events/statistics', '/v1/audit', '/v1/actions']
  for (const date of ['9999-12-31', '9999-12-31T00:00:00.001Z', '9999-12-31T23:59:59Z']) {
    for (const path of lists) {
      for (const query of [`from=2026-01-01&to=${date}`, `from=${date}&to=${date}`]) {
        expect([path, query, (await tenant.call('GET', `${path}?${query}`)).status]).toEqual([
          path,
          query,
          200,
        ])
      }
    }
    const test = `/v1/rules/${rule.body.data[0].id}/test?from=2026-01-01&to=${date}`
    expect((await tenant.call('POST', test)).status).toBe(200)
  }
  const filter = { type: 'custom.a', to: '9999-12-31T23:59:59-12:00' }
  const { status } = await tenant.call('POST', '/v1/events/retract', { reason: 'x', filter })
  expect(status).toBe(400)
})

it('a window may begin before anything can have happened, but not end there', async () => {
  const service = await startService()
  const tenant = await service.tenant()
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
  const { id } = (await tenant.call('POST', '/v1/employees', person)).body
  const event = { type: 'custom.a', employee_email: person.email }
  await tenant.call('POST', '/v1/events', event)
  const rule = await tenant.call('GET', '/v1/rules?per_page=1')
  const lists = ['/v1/events', '/v1/events/statistics', `/v1/employees/${id}/score-history`]
  for (const date of ['0001-01-01', '1900-02-28', '1969-12-31T23:59:59.999Z']) {
    for (const path of lists) {
      const all = await tenant.call('GET', `${path}?from=${date}`)
      expect([path, date, all.status, all.body.data?.length]).toEqual([path, date, 200, 1])
      const none = await tenant.call('GET', `${path}?from=${date}&to=${date}`)
      expect(none.body.error?.details).toEqual([{ path: 'to', message: 'must not be before 1970' }])
    }
    const test = `/v1/rules/${rule.body.data[0].id}/test?from=${date}`
    expect((await tenant.call('POST', test)).status).toBe(200)
    const at = await tenant.call('GET', `/v1/employees/${id}/explanation?at=${date}`)
    expect(at.body.error?.message).toBe('at: must not be before the employee was created')
    const late = { ...event, timestamp: `${date.slice(0, 10)}T00:00:00Z` }
    expect((await tenant.call('POST', '/v1/events', late)).status).toBe(400)
  }
  const hook = { url: 'https://hooks.example/in', events: ['score.updated'] }
  const { id: webhook } = (await tenant.call('POST', '/v1/webhooks', hook)).body
  const since = '0001-01-01T00:00:00+14:00'
  const recovery = await tenant.call('POST', `/v1/webhooks/${webhook}/recover`, { since })
  expect(recovery).toMatchObject({ status: 202, body: { since: '1970-01-01T00:00:00.000Z' } })
  for (const date of ['0000-01-01', '1900-02-29']) {
    expect((await tenant.call('GET', `/v1/events?from=${date}`)).status).toBe(400)
  }
})
