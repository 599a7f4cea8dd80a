// Turns of tenants at the delivery engine: each once, never two at once, and nobody who was added meanwhile is forgotten.
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTurns } from './fair-turns.ts'

type Taken = { tenant_id: string; end(more: boolean): Promise<void> }

/** Turns that end when the test says so. */
function open(width = { few: 1, many: 3 }) {
  const taken: Taken[] = []
  const turns = createTurns(width, tenant_id => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    taken.push({
      tenant_id,
      end: async more => {
        resolve(more)
        await promise
        await Promise.resolve()
      },
    })
    return promise
  })
  const names = () => taken.map(one => one.tenant_id).join('')
  return { turns, taken, names }
}

test('who is added during their turn has another after it, behind those who wait, and only one', async () => {
  const { turns, taken, names } = open()
  for (const one of ['a', 'b', 'a', 'a']) turns.add(one)
  expect(names()).toBe('a')
  await taken[0]!.end(true)
  await taken[1]!.end(false)
  expect(names()).toBe('aba')
  await taken[2]!.end(false)
  expect(names()).toBe('aba')
  expect(turns.isIdle()).toBe(true)
})

test('who was added during their turn has another also where the turn found no more', async () => {
  const { turns, taken, names } = open()
  turns.add('a')
  turns.add('a')
  await taken[0]!.end(false)
  expect(names()).toBe('aa')
  expect(turns.isIdle()).toBe(false)
})

test('more turns are taken at once where many wait', async () => {
  const { turns, names } = open()
  const many = Array.from('abcdefghijklmnopqrstuvwxyz')
  for (const one of many.slice(0, 16)) turns.add(one)
  expect(names()).toBe('a')
  for (const one of many.slice(16)) turns.add(one)
  expect(names()).toBe('abc')
})

test('a turn that takes long, as one that waits for a lock, keeps only its own tenant waiting; four at most', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { turns, taken, names } = open()
  for (const one of ['a', 'b', 'c', 'd', 'e', 'f', 'a']) turns.add(one)
  expect(names()).toBe('a')
  vi.advanceTimersByTime(250)
  expect(names()).toBe('ab')
  vi.advanceTimersByTime(10_000)
  expect(names()).toBe('abcde')
  await taken[2]!.end(false)
  await taken[4]!.end(false)
  expect(names()).toBe('abcdef')
  vi.advanceTimersByTime(250)
  expect(names(), 'never two turns of one tenant').toBe('abcdef')
})

test('once stopped, nobody has another turn', async () => {
  const { turns, taken, names } = open()
  for (const one of ['a', 'b', 'a']) turns.add(one)
  turns.stop()
  turns.add('c')
  await taken[0]!.end(true)
  expect(names()).toBe('a')
  expect(turns.isIdle()).toBe(true)
})
