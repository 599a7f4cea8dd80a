// The measure of a JSON value agrees with what the database makes of it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { isStoredLarger } from './stored-size.ts'

const { context } = await startService()

async function lengthsOf(values: readonly unknown[]): Promise<number[]> {
  const rows = await context.db.sql<{ bytes: number }[]>`
    SELECT octet_length(value::text) AS bytes
    FROM jsonb_array_elements(${JSON.stringify(values)}::text::jsonb) WITH ORDINALITY AS t(value, place)
    ORDER BY place`
  return rows.map(row => row.bytes)
}

function expectExact(value: unknown, bytes: number): void {
  const larger = [isStoredLarger(value, bytes - 1), isStoredLarger(value, bytes)]
  expect([value, bytes, ...larger]).toEqual([value, bytes, true, false])
}

test('every number is as long as the database writes it', async () => {
  const edges = [0, 1e308, -1e308, 5e-324, -5e-324, 1e21, 1e-7, -1.5e-7, 1e20, 1e-6, 2 ** 53, 0.1]
  const lengths = await lengthsOf(edges)
  for (const [i, bytes] of lengths.entries()) expectExact(edges[i], bytes)
  expect(lengths.slice(1, 4)).toEqual([309, 310, 326])
  const double = fc.double({ noNaN: true, noDefaultInfinity: true })
  await fc.assert(
    fc.asyncProperty(fc.array(double, { minLength: 100, maxLength: 100 }), async numbers => {
      for (const [i, bytes] of (await lengthsOf(numbers)).entries()) expectExact(numbers[i], bytes)
    }),
    { numRuns: 50 },
  )
})

test('so is what numbers stand in, spaces aside', async () => {
  const value = { 'a"b': [1e21, { é: -5e-324 }, null, true, '\u0001\u2028'], c: {} }
  const spaces = 8
  expectExact(value, (await lengthsOf([value]))[0]! - spaces)
})
