// A window is put together from blocks and spans without a gap, an overlap or a block in doubt.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BASE_MS, type Block, coverWindow, HOUR_LEVEL, spanOf, TOP_LEVEL } from './time-blocks.ts'

const START = Date.parse('2026-03-02T09:00:00Z')
const DAYS_60 = 60 * 86_400_000
const instant = fc.integer({ min: START, max: START + DAYS_60 })
const mark = fc
  .record({ level: fc.integer({ min: 0, max: TOP_LEVEL }), at: instant })
  .map(({ level, at }): Block => ({ level, block: Math.floor(at / (BASE_MS * 8 ** level)) }))
const window = fc
  .tuple(instant, instant)
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 }))

function overlaps(a: { from: number; to: number }, b: { from: number; to: number }): boolean {
  return a.from < b.to && b.from < a.to
}

it.each([TOP_LEVEL, HOUR_LEVEL])('up to level %i', top => {
  fc.assert(
    fc.property(window, instant, fc.array(mark, { maxLength: 5 }), (asked, at, drawn) => {
      const closed = Math.floor(at / BASE_MS) * BASE_MS
      const marks = drawn.filter(one => one.level <= top)
      const { blocks, spans } = coverWindow(asked, closed, marks, top)
      const pieces = [...blocks.map(spanOf), ...spans].sort((a, b) => a.from - b.from)
      expect(pieces[0]!.from).toBe(asked.from)
      expect(pieces.at(-1)!.to).toBe(asked.to)
      pieces.forEach((piece, i) => {
        if (i > 0) expect(piece.from).toBe(pieces[i - 1]!.to)
      })
      for (const block of blocks) {
        const span = spanOf(block)
        expect(span.to).toBeLessThanOrEqual(closed)
        const inside = marks.filter(one => one.level <= block.level && overlaps(spanOf(one), span))
        expect(inside).toEqual([])
      }
    }),
  )
})

it('a month needs few blocks, and rows of two base blocks at most', () => {
  fc.assert(
    fc.property(instant, from => {
      const asked = { from, to: from + DAYS_60 / 2 }
      const { blocks, spans } = coverWindow(asked, START + 2 * DAYS_60, [])
      expect(blocks.length).toBeLessThanOrEqual(14 * 4)
      const rows = spans.reduce((sum, span) => sum + span.to - span.from, 0)
      expect(rows).toBeLessThan(2 * BASE_MS)
    }),
  )
})
