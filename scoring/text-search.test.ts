// A text is found wherever `includes` finds it, and hostile ones cost no more than others.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSearch } from './text-search.ts'

test('finds what includes finds, also of texts that repeat themselves', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 })
  const times = fc.integer({ min: 1, max: 20 })
  fc.assert(
    fc.property(few, few, few, times, (before, piece, after, n) => {
      const part = piece.repeat(n)
      const search = compileSearch(part)
      expect(search(`${before}${part}${after}`)).toBe(true)
      for (const text of [before, part.slice(1) + after, `${part.slice(0, -1)}b${part.slice(1)}`])
        expect(search(text)).toBe(text.includes(part))
    }),
  )
})

test('finds a long part at the beginning, in the middle and at the end, by code units', () => {
  const part = `über-${'x'.repeat(300)}-ende 😀`
  const search = compileSearch(part)
  for (const text of [part, `${part}!`, `… ${part}!`, `xx${part}`]) expect(search(text)).toBe(true)
  for (const text of ['', part.slice(1), part.slice(0, -1)]) expect(search(text)).toBe(false)
})

test.each([
  ['a'.repeat(300), 'b'],
  ['ab'.repeat(200), 'c'],
  [`${'aab'.repeat(60)}${'aa'.repeat(60)}`, 'ab'],
])('a long part is found behind a false start of it', (start, end) => {
  const part = start + end
  const search = compileSearch(part)
  for (const n of [1, 2, 3, 7]) {
    const text = start.slice(0, n) + part
    expect(search(text)).toBe(text.includes(part))
    expect(search(start.slice(0, -n) + text)).toBe(true)
  }
  for (const text of [start + start, start.slice(1) + end, `${start.slice(0, -1)}x${end}${end}`])
    expect(search(text)).toBe(text.includes(part))
  // The end of it is there, the beginning is not.
  expect(search(`x${part.slice(1)}`)).toBe(false)
})
