// Values of an entry in one line of text: none of them turns what stands around it.
import { expect, test } from 'vitest'
import { printInLine } from './audit-values.ts'

test('what has no direction of its own stands as it is', () => {
  expect([null, '', 'Ünï', -25, ['a', 'b']].map(printInLine)).toEqual([
    '–',
    '–',
    'Ünï',
    '-25',
    'a b',
  ])
})

test('marks that would turn the rest of the line are left out, letters of another direction set apart', () => {
  expect(printInLine('Ann\u202e52- ')).toBe('Ann52- ')
  expect(printInLine('Ann\u2069\u202e')).toBe('Ann')
  expect(printInLine('עדה')).toBe('\u2068עדה\u2069')
})

test('a long value is cut, never within a character', () => {
  expect(printInLine('x'.repeat(61))).toBe(`${'x'.repeat(57)}…`)
  expect(printInLine('🦄'.repeat(40))).toBe(`${'🦄'.repeat(28)}…`)
})
