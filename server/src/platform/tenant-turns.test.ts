// Turns of tenants: every one comes to its turn, whatever the others do.
import { expect, test } from 'vitest'
import { createTenantTurns } from './tenant-turns.ts'

/** Tenants a to e, two in a run; `work` is told whose turn it is. */
function open(work: (tenant: string) => Promise<boolean>) {
  const inTurns = createTenantTurns(2)
  const had: string[] = []
  const find = async (after: string, limit: number) =>
    ['a', 'b', 'c', 'd', 'e']
      .filter(one => one > after)
      .slice(0, limit)
      .map(tenant_id => ({ tenant_id }))
  const run = () =>
    inTurns(find, ({ tenant_id }) => {
      had.push(tenant_id)
      return work(tenant_id)
    })
  return { run, had }
}

test('a round goes through all of them, some in each run, and then rests', async () => {
  const { run, had } = open(async () => false)
  expect([await run(), await run(), await run()]).toEqual([true, true, false])
  expect(had.join('')).toBe('abcde')
})

test('where one has more to do, another round follows at once', async () => {
  const { run, had } = open(async tenant => tenant === 'a' && had.length < 3)
  const more = []
  for (let i = 0; i < 6; i++) more.push(await run())
  expect(more).toEqual([true, true, true, true, true, false])
  expect(had.join('')).toBe('abcdeabcde')
})

test('behind one whose work fails the next run goes on', async () => {
  const { run, had } = open(async tenant => {
    if (tenant === 'c') throw new Error('no')
    return false
  })
  await run()
  await expect(run()).rejects.toThrow('no')
  expect([await run(), await run(), await run()]).toEqual([true, false, true])
  expect(had.join('')).toBe('abcdeab')
})
