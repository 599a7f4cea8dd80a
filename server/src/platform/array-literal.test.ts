// Array literals: every value comes back from PostgreSQL as it was.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startService } from '../../test/service.ts'
import { arrayLiteral } from './array-literal.ts'

const service = await startService()
type Kind = 'text' | 'float8' | 'timestamptz' | 'boolean'

/** Row by row, because the driver reads a null inside an array as something else. */
async function roundTrip(values: unknown[], kind: Kind): Promise<unknown[]> {
  return service.context.db.inTenant('_', async tx => {
    const given = values as never
    const casts = {
      text: () => tx`SELECT u.v FROM unnest(${given}::text[]) WITH ORDINALITY u(v, n) ORDER BY n`,
      float8: () =>
        tx`SELECT u.v FROM unnest(${given}::float8[]) WITH ORDINALITY u(v, n) ORDER BY n`,
      boolean: () =>
        tx`SELECT u.v FROM unnest(${given}::boolean[]) WITH ORDINALITY u(v, n) ORDER BY n`,
      timestamptz: () =>
        tx`SELECT u.v FROM unnest(${given}::timestamptz[]) WITH ORDINALITY u(v, n) ORDER BY n`,
    }
    return (await casts[kind]()).map(row => row.v)
  })
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter(one => !one.includes('\0') && one.isWellFormed()),
  fc.constantFrom('', 'NULL', 'null', '{', '}', ',', '"', '\\', '\\"', ' a ', '\n', '{"a":"\\\\"}'),
)

describe('array literals', () => {
  it('of text', async () => {
    const check = fc.asyncProperty(fc.array(fc.option(text)), async values => {
      expect(await roundTrip(values, 'text')).toEqual(values)
    })
    await fc.assert(check, { numRuns: 150 })
  })

  it('of numbers, dates and booleans, with nulls', async () => {
    const numbers = [0, -1.5, 1e-12, 2 ** 53, null, 1.7976931348623157e308]
    expect(await roundTrip(numbers, 'float8')).toEqual(numbers)
    const dates = [new Date(0), null, new Date(1), new Date(1), new Date(4102444800123)]
    expect(await roundTrip(dates, 'timestamptz')).toEqual(dates)
    expect(await roundTrip([true, null, false], 'boolean')).toEqual([true, null, false])
    expect(await roundTrip([], 'text')).toEqual([])
  })

  it('of bytes and of arrays', async () => {
    const bytes = [Buffer.from('x'), null, Buffer.from([0, 92, 34, 255])]
    const lists = [
      ['a', null],
      ['"', '\\'],
    ]
    const [row] = await service.context.db.inTenant(
      '_',
      tx => tx`SELECT ${bytes}::bytea[] AS bytes, ${lists}::text[] AS lists`,
    )
    expect(row).toEqual({ bytes, lists })
    expect(() => arrayLiteral([{}])).toThrow('holds no object')
  })
})
