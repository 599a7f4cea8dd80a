// Dry runs take long, so few go on at once in a process; a tenant that asks for many keeps no other waiting.
import { expect, test } from 'vitest'
import { startService, type Tenant } from '../../test/service.ts'
import type { Tx } from '../platform/database.ts'

/** Whose dry runs have begun, in order: each begins by looking up its rule, and goes on when told. */
const begun: string[] = []
const { promise: told, resolve: tell } = Promise.withResolvers<void>()
const service = await startService({}, { wrap: watch })

function watch<T>(tx: Tx, todo: (tx: Tx) => Promise<T>): Promise<T> {
  const tagged = (first: TemplateStringsArray, ...values: never[]) => {
    const text = first.raw?.join('') ?? ''
    if (!text.includes('FROM rules WHERE') || !text.includes('AND rule_id')) {
      return tx(first, ...values)
    }
    begun.push(values.find(value => typeof value === 'string')!)
    return told.then(() => tx(first, ...values))
  }
  return todo(Object.assign(tagged, tx) as unknown as Tx)
}

async function findOne({ call }: Tenant): Promise<string> {
  return (await call('GET', '/v1/rules?per_page=1')).body.data[0].id
}

test('a dry run of another tenant does not wait for all of those before it', async () => {
  const [busy, other] = [await service.tenant(), await service.tenant()]
  const [own, theirs] = [await findOne(busy), await findOne(other)]
  const asked = Array.from({ length: 10 }, () => busy.call('POST', `/v1/rules/${own}/test`))
  // What was asked for before this is let in before it, so by its answer all of them wait.
  await findOne(busy)
  asked.push(other.call('POST', `/v1/rules/${theirs}/test`))
  await findOne(other)
  tell()
  expect((await Promise.all(asked)).map(answer => answer.status)).toEqual(Array(11).fill(200))
  expect(begun).toHaveLength(11)
  expect(begun.at(-1)).toBe(busy.tenant_id)
})
