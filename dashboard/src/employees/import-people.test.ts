// An import is long work: it leaves requests of the minute to the other pages of the person.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { importPeople } from './import-people.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const LINES = Array.from({ length: 10 }, (_, i) => ({
  line: i + 2,
  person: { email: `p${i}@acme.test`, first_name: 'Pat', last_name: 'Moss' },
  faults: [],
}))

/** A service that makes whoever it is sent, and tells how many requests are left. */
function openService(left: { remaining: number }) {
  const sent: string[] = []
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body).email)
    const headers = { 'x-ratelimit-remaining': String(left.remaining) }
    return new Response(JSON.stringify({ id: `emp_${sent.length}` }), { status: 201, headers })
  })
  return sent
}

test('where few requests are left in the minute it goes slowly, and fast again once there are more', async () => {
  const left = { remaining: 100 }
  const sent = openService(left)
  const done = importPeople(LINES, () => {}, new AbortController())
  await vi.advanceTimersByTimeAsync(900)
  expect(sent).toHaveLength(4)
  left.remaining = 500
  await vi.advanceTimersByTimeAsync(100)
  expect(await done).toBeNull()
  expect(sent).toHaveLength(10)
})

test('stopped while it holds back, it sends nothing more', async () => {
  const sent = openService({ remaining: 0 })
  const stop = new AbortController()
  const done = importPeople(LINES, () => {}, stop)
  await vi.advanceTimersByTimeAsync(0)
  const before = sent.length
  stop.abort()
  await vi.runAllTimersAsync()
  await done
  expect(sent.length).toBe(before)
  expect(before).toBeLessThanOrEqual(4)
})
