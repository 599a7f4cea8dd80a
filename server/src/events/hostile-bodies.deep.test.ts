// What a body costs to read does not depend on how it is written: a hostile one holds nobody up longer than an honest one.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hire } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'

const service = await startService()
const tenant = await service.tenant()
const PEOPLE = Array.from({ length: 20 }, (_, i) => `person${i}@example.com`)
await hire(service, tenant, PEOPLE)

const KIB = 1024
const times = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))
const batchOf = (items: readonly string[]) => `{"events":[${items.join()}]}`

function eventOf(i: number, more = ''): string {
  const details = `"description":"VPN from an unknown network","severity":"high","source_system":"vpn"`
  return `{"type":"custom.x","employee_email":"${PEOPLE[i % PEOPLE.length]}","details":{${details}${more}}}`
}

const LINE = 'The quick brown fox jumps over the lazy dog. '

/** A batch as an honest sender would fill one of that size: texts of some length, in up to a thousand events. */
function ordinaryOf(size: number): string {
  const count = Math.min(1000, Math.floor(size / 200))
  const notes = times(
    Math.max(0, Math.floor((size / count - 200) / 200)),
    i => `,"note_${i}":"${LINE.repeat(4)}"`,
  )
  return batchOf(times(count, i => eventOf(i, notes.join(''))))
}

/** The time of this thread alone, in milliseconds, so that others on the machine do not count. */
async function costOf(body: string): Promise<number> {
  const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' }
  const payload = Buffer.from(body)
  const before = process.threadCpuUsage()
  await service.app.server.inject({ method: 'POST', url: '/v1/events/batch', headers, payload })
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const ROUNDS = 8

/** Measured in turns until it fits, as anything may come between: the least of each is what it cannot help costing. */
async function ratioOf(hostile: string, ordinary: string, most: number): Promise<number> {
  let [bad, good] = [await costOf(hostile), await costOf(ordinary)]
  for (let round = 1; round < ROUNDS && bad > most * good; round++) {
    bad = Math.min(bad, await costOf(hostile))
    good = Math.min(good, await costOf(ordinary))
  }
  return bad / good
}

const honest = batchOf(times(1000, i => eventOf(i)))

test.each([
  ['many keys in one object', batchOf([eventOf(0, `,${times(99_000, i => `"k${i}":1`)}`)])],
  [
    'many numbers, of which one is tiny',
    batchOf([eventOf(0, `,"a":[1e-400,${times(400_000, () => 1)}]`)]),
  ],
  ['long lists in place of events', batchOf(times(1000, () => `[${times(2000, () => 1)}]`))],
  ['a thousand lists in place of events', batchOf(times(1000, () => '[]'))],
  ['lists in lists without an end', '['.repeat(4_000_000)],
])('%s: refused in less time than a thousand events take', async (_name, body) => {
  expect(await ratioOf(body, honest, 1)).toBeLessThanOrEqual(1)
})

const VALUES: Readonly<Record<string, (i: number, depth: number) => string>> = {
  'tiny numbers': () => '1e-400',
  'numbers with long exponents': () => `1e-${'0'.repeat(100)}400`,
  'numbers of many digits': () => `0.${'123456789'.repeat(20)}`,
  'numbers too large': i => `${i}e308`,
  'small numbers': () => '1',
  'texts of colons': () => `"${':'.repeat(300)}"`,
  'texts of escapes': () => `"${'\\u003a\\"'.repeat(40)}"`,
  NUL: () => '"\\u0000"',
  'half a pair': () => '"\\ud800"',
  'nested lists': (_, depth) => '['.repeat(depth) + ']'.repeat(depth),
  'nested objects': (i, depth) => `{"k${i}":`.repeat(depth) + 1 + '}'.repeat(depth),
  'repeated keys': () => '{"a":1,"\\u0061":2}',
}
const MEMBERS: Readonly<Record<string, (i: number, value: string) => string>> = {
  'list items': (_, value) => value,
  'keys of their own': (i, value) => `"k${i}":${value}`,
  'keys like numbers': (i, value) => `"${i * 40_009}":${value}`,
  'the same keys': (_, value) => `"a":${value}`,
  'long keys': (i, value) => `"${'k'.repeat(200)}${i}":${value}`,
}
const PLACES: Readonly<Record<string, (groups: readonly string[]) => string>> = {
  'the body': groups => groups.join(),
  'in place of events': batchOf,
  'details of one event': groups => batchOf([eventOf(0, `,"a":[${groups}]`)]),
  'details of each event': groups => batchOf(groups.map((group, i) => eventOf(i, `,"a":${group}`))),
}

const nameOf = (table: object) => fc.constantFrom(...Object.keys(table))
const hostile = fc.record({
  values: fc.uniqueArray(nameOf(VALUES), { minLength: 1, maxLength: 4 }),
  members: nameOf(MEMBERS),
  place: nameOf(PLACES),
  together: fc.constantFrom(1, 8, 40, 500, 9000, 1_000_000),
  depth: fc.integer({ min: 1, max: 30 }),
  size: fc.constantFrom(128 * KIB, 512 * KIB, 4000 * KIB),
})
type Hostile = typeof hostile extends fc.Arbitrary<infer Of> ? Of : never

function write({ values, members, place, together, depth, size }: Hostile): string {
  const [open, close] = members === 'list items' ? '[]' : '{}'
  const groups: string[] = []
  for (let [i, length] = [0, 0]; length < size; ) {
    const group: string[] = []
    while (group.length < together && length < size) {
      const member = MEMBERS[members]!(i, VALUES[values[i % values.length]!]!(i, depth))
      group.push(member)
      length += member.length + 1
      i++
    }
    groups.push(open + group.join() + close)
  }
  return PLACES[place]!(groups)
}

test('a hostile body costs at most twice what an honest one of its size does', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async told => {
      expect(await ratioOf(write(told), ordinaryOf(told.size), 2)).toBeLessThanOrEqual(2)
    }),
    { numRuns: 30 },
  )
})
