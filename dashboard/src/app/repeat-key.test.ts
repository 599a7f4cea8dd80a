// When a request made again has the key of the first, and when it is another wish.
import { expect, test } from 'vitest'
import { forgetKey, keepKey, keyOf } from './repeat-key.ts'

const REQUEST = '/v1/rules/recalculate {"scope":"all"}'

test('a request whose answer was lost keeps its key, another has its own', () => {
  keepKey(REQUEST, 'one', 0)
  expect(keyOf(REQUEST, 599_999)).toBe('one')
  expect(keyOf('/v1/rules {}', 1)).not.toBe('one')
})

test('much later, or after a change, the same request is another wish', () => {
  keepKey(REQUEST, 'one', 0)
  expect(keyOf(REQUEST, 600_000)).not.toBe('one')
  forgetKey()
  expect(keyOf(REQUEST, 1)).not.toBe('one')
})

test('no two keys are the same', () => {
  expect(keyOf(REQUEST, 0)).not.toBe(keyOf(REQUEST, 0))
})
