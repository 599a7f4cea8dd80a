// What moves is looked at often; what could not be read seldom, and not at all where asking again would change nothing.
import { expect, test } from 'vitest'
import { CallError } from './call-api.ts'
import { unlessFailed } from './look-again.ts'

const OFTEN_MS = 1_000

const failed = (status: number) => ({
  state: { error: new CallError('not now', { status }), data: undefined },
})

test('as often as was asked for, while it can be read', () => {
  const running = { state: { error: null, data: 'running' } }
  expect(unlessFailed(OFTEN_MS)(running)).toBe(OFTEN_MS)
  expect(unlessFailed(({ state }: typeof running) => state.data.length)(running)).toBe(7)
  expect(unlessFailed(false)(running)).toBe(false)
})

test('what is gone, refused or makes no sense is not asked for again', () => {
  for (const status of [400, 403, 404, 409]) {
    expect(unlessFailed(OFTEN_MS)(failed(status)), `${status}`).toBe(false)
  }
})

test('what may pass is asked for again after half a minute, also where nothing else would', () => {
  for (const status of [0, 429, 500, 503]) {
    expect(unlessFailed(OFTEN_MS)(failed(status)), `${status}`).toBe(30_000)
    expect(unlessFailed(() => false)(failed(status)), `${status}`).toBe(30_000)
  }
})
