// Turns at the database: fair between tenants, and nobody is left waiting for long.
import { expect, test } from 'vitest'
import { ApiError } from './errors.ts'
import { createFairGate, MOST_WAIT_MS } from './fair-gate.ts'

/** Works that end when told, in the order in which they were let in. */
function gateOf(width: number) {
  let time = 0
  const gate = createFairGate(width, () => time)
  const entered: string[] = []
  const ends: (() => void)[] = []
  const ask = (tenant_id: string) =>
    gate(tenant_id, () => {
      entered.push(tenant_id)
      return new Promise<void>(resolve => ends.push(resolve))
    })
  const endOne = async () => {
    await null
    ends.shift()!()
    for (let i = 0; i < 5; i++) await null
  }
  const pass = (ms: number) => {
    time += ms
  }
  return { ask, entered, endOne, pass }
}

test('as many as there is room for go in at once, the others one by one', async () => {
  const { ask, entered, endOne } = gateOf(2)
  const all = [ask('a'), ask('a'), ask('a')]
  await null
  expect(entered).toEqual(['a', 'a'])
  await endOne()
  expect(entered).toEqual(['a', 'a', 'a'])
  await endOne()
  await endOne()
  await Promise.all(all)
})

test('a tenant with much waiting keeps no other out', async () => {
  const { ask, entered, endOne } = gateOf(1)
  const all = [ask('a'), ask('a'), ask('a'), ask('a'), ask('b'), ask('c'), ask('b')]
  for (let i = 0; i < all.length; i++) await endOne()
  await Promise.all(all)
  expect(entered).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a'])
})

test('one tenant never takes every place, however many it asks for', async () => {
  const { ask, entered, endOne } = gateOf(10)
  const all = Array.from({ length: 12 }, () => ask('a'))
  await null
  expect(entered).toHaveLength(7)
  all.push(ask('b'), ask('b'), ask('b'), ask('c'))
  await null
  expect(entered.slice(7)).toEqual(['b', 'b', 'c'])
  // The place that is free now waits for somebody who has none.
  await endOne()
  expect(entered).toHaveLength(10)
  all.push(ask('d'))
  await null
  expect(entered.slice(10)).toEqual(['d'])
  for (let i = 1; i < all.length; i++) await endOne()
  await Promise.all(all)
  expect(entered).toHaveLength(17)
})

test('where the first of a tenant has waited too long, its next is refused at once with 503', async () => {
  const { ask, entered, endOne, pass } = gateOf(1)
  const all = [ask('a'), ask('a')]
  pass(MOST_WAIT_MS)
  all.push(ask('a'))
  pass(1)
  const refused = await ask('a').catch(error => error)
  expect(refused).toBeInstanceOf(ApiError)
  expect(refused).toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '1' } })
  const other = ask('b')
  for (let i = 0; i < 4; i++) await endOne()
  await Promise.all([...all, other])
  expect(entered).toEqual(['a', 'a', 'b', 'a'])
})

test('where the wait has no bound nobody is refused, however long it takes', async () => {
  let time = 0
  const gate = createFairGate(1, () => time, Infinity)
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = [gate('a', () => promise), gate('a', async () => {})]
  time += 100 * MOST_WAIT_MS
  waiting.push(gate('a', async () => {}))
  resolve()
  await Promise.all(waiting)
})

test('a place is given back by work that fails', async () => {
  const gate = createFairGate(1, () => 0)
  await expect(gate('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await gate('a', async () => 'in')).toBe('in')
})
