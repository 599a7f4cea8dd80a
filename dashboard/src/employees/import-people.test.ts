// An import is long work: it goes in parts, leaves requests to other pages, and stops where nobody could go on.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { callAdmin } from '../app/call-api.ts'
import { forgetKey } from '../app/repeat-key.ts'
import { importPeople, type LineOutcome } from './import-people.ts'

beforeEach(() => {
  vi.useFakeTimers()
  forgetKey()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const readLines = () =>
  Array.from({ length: 250 }, (_, i) => ({
    line: i + 2,
    person: { email: `p${i}@acme.test`, first_name: 'Pat', last_name: 'Moss' },
    faults: [],
  }))
const LINES = readLines()

type Sent = { key: string; emails: string[] }

/** A service that makes whoever it is sent, unless it answers otherwise, and tells how many requests are left. */
function openService(left: { remaining: number }, answer?: (nth: number) => Response | undefined) {
  const sent: Sent[] = []
  vi.stubGlobal('fetch', async (_path: string, asked: { body: string; headers: object }) => {
    const { employees = [] } = JSON.parse(asked.body) as { employees?: { email: string }[] }
    const key = new Headers({ ...asked.headers }).get('idempotency-key')!
    sent.push({ key, emails: employees.map(one => one.email) })
    const other = answer?.(sent.length)
    if (other) return other
    const data = employees.map(({ email }, index) => ({
      index,
      status: 201,
      employee: { id: `emp_${email}` },
    }))
    const headers = { 'x-ratelimit-remaining': String(left.remaining) }
    return new Response(JSON.stringify({ data }), { status: 207, headers })
  })
  return sent
}

const refuse = (status: number, code: string, headers = {}) =>
  Response.json({ error: { code, message: 'not now', request_id: 'req_1' } }, { status, headers })

test('it goes a hundred at a time, and tells each time how far it has come', async () => {
  const sent = openService({ remaining: 500 })
  const told: number[] = []
  const done = importPeople(LINES, since => told.push(since.length), new AbortController().signal)
  await vi.runAllTimersAsync()
  expect(await done).toBeNull()
  expect(sent.map(one => one.emails.length)).toEqual([100, 100, 50])
  expect(told).toEqual([100, 200, 250])
})

test('where few requests are left in the minute it goes slowly, and fast again once there are more', async () => {
  const left = { remaining: 100 }
  const sent = openService(left)
  const done = importPeople(LINES, () => {}, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(900)
  expect(sent).toHaveLength(1)
  left.remaining = 500
  await vi.advanceTimersByTimeAsync(100)
  expect(await done).toBeNull()
  expect(sent).toHaveLength(3)
})

test('stopped while it holds back, it sends nothing more', async () => {
  const sent = openService({ remaining: 0 })
  const stop = new AbortController()
  const done = importPeople(LINES, () => {}, stop.signal)
  await vi.advanceTimersByTimeAsync(0)
  stop.abort()
  await vi.runAllTimersAsync()
  expect(await done).toBeNull()
  expect(sent).toHaveLength(1)
})

test('what was asked for too fast, or got no answer, is asked for again as the same request', async () => {
  const sent = openService({ remaining: 500 }, nth => {
    if (nth === 1) return refuse(429, 'RATE_LIMITED', { 'retry-after': '3' })
    return nth === 2 ? refuse(503, 'UNAVAILABLE') : undefined
  })
  const outcomes: LineOutcome[][] = []
  const done = importPeople(LINES.slice(0, 2), since => outcomes.push([...since]), never())
  await vi.runAllTimersAsync()
  expect(await done).toBeNull()
  expect(sent).toHaveLength(3)
  expect(sent[2]!.key).toBe(sent[1]!.key)
  expect(outcomes.at(-1)!.map(one => one.kind)).toEqual(['created', 'created'])
})

test('a service that stays away stops it, and what is gone on with is the same request still', async () => {
  let away = true
  const sent = openService({ remaining: 500 }, () =>
    away ? refuse(503, 'UNAVAILABLE') : undefined,
  )
  const first = importPeople(LINES, () => expect.fail('nobody came in'), never())
  await vi.runAllTimersAsync()
  expect(await first).toMatch(/does not answer/)
  const before = sent.length
  away = false
  const second = importPeople(LINES, () => {}, never())
  await vi.runAllTimersAsync()
  expect(await second).toBeNull()
  expect(sent[before]!.key).toBe(sent[0]!.key)
})

test('it is the same request still an hour later, and after other changes', async () => {
  let away = true
  const sent = openService({ remaining: 500 }, () =>
    away ? refuse(503, 'UNAVAILABLE') : undefined,
  )
  const lines = readLines()
  const first = importPeople(lines, () => {}, never())
  await vi.runAllTimersAsync()
  await first
  away = false
  await callAdmin('POST', '/admin/notifications/read', {})
  await vi.advanceTimersByTimeAsync(3_600_000)
  const before = sent.length
  const second = importPeople(lines, () => {}, never())
  await vi.runAllTimersAsync()
  expect(await second).toBeNull()
  const keys = sent.map(one => one.key)
  expect(keys[before]).toBe(keys[0])
  expect(new Set(keys.slice(before)).size).toBe(3)
})

test('stopped before the answer came, it says of whom nobody knows', async () => {
  openService({ remaining: 500 }, nth => (nth === 2 ? refuse(503, 'UNAVAILABLE') : undefined))
  const stop = new AbortController()
  const outcomes: LineOutcome[] = []
  const lines = readLines()
  const done = importPeople(lines, since => outcomes.splice(0, 999, ...since), stop.signal)
  await vi.advanceTimersByTimeAsync(0)
  stop.abort()
  await vi.runAllTimersAsync()
  expect(await done).toMatch(/^Whether lines 102 to 201 came in is not known\./)
  expect(outcomes).toHaveLength(100)
})

test('refused after an answer was lost, it says of whom nobody knows, also the next time', async () => {
  openService({ remaining: 500 }, nth =>
    nth === 1 ? refuse(503, 'UNAVAILABLE') : refuse(403, 'FORBIDDEN'),
  )
  const lines = readLines().slice(0, 1)
  for (const time of ['first', 'second']) {
    const done = importPeople(lines, () => expect.fail('nobody came in'), never())
    await vi.runAllTimersAsync()
    expect(await done, time).toMatch(/^Not now\. Whether line 2 came in is not known\./)
  }
})

test('a refusal of who asks stops it, and no line is called refused', async () => {
  openService({ remaining: 500 }, nth => (nth === 2 ? refuse(403, 'FORBIDDEN') : undefined))
  const outcomes: LineOutcome[] = []
  const done = importPeople(LINES, since => outcomes.splice(0, 999, ...since), never())
  await vi.runAllTimersAsync()
  expect(await done).toBe('Not now.')
  expect(outcomes).toHaveLength(100)
})

const never = () => new AbortController().signal
