// What a form sends of what it holds.
import { expect, test } from 'vitest'
import { changedFields } from './changed-fields.ts'

test('only what says something else is sent', () => {
  const before = { name: 'a', scopes: ['x', 'y'], trigger: { kind: 'event', conditions: {} } }
  expect(changedFields(before, structuredClone(before))).toEqual({})
  const after = { ...before, scopes: ['y', 'x'], trigger: { conditions: {}, kind: 'event' } }
  expect(changedFields(before, after)).toEqual({ scopes: ['y', 'x'] })
})

test('what is cleared is sent', () => {
  const before: { department: string | null; note: string } = { department: 'Sales', note: 'b' }
  const cleared = { department: null, note: '' }
  expect(changedFields(before, cleared)).toEqual(cleared)
})
