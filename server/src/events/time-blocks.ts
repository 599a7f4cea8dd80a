// Time cut into blocks of five lengths, and how a window is put together from them. Pure.
import type { Instant } from '../platform/clock.ts'

/** Blocks of the lowest level; eight of a level are one of the next: 7.5 minutes, 1, 8, 64 and 512 hours. */
export const BASE_MS = 450_000
export const TOP_LEVEL = 4
/** The level of an hour. */
export const HOUR_LEVEL = 1

export type Block = { readonly level: number; readonly block: number }
/** From the first instant to before the last. */
export type Span = { readonly from: Instant; readonly to: Instant }

const lengthOf = (level: number) => BASE_MS * 8 ** level

export function blockAt(at: Instant, level = 0): number {
  return Math.floor(at / lengthOf(level))
}

export function spanOf({ level, block }: Block): Span {
  const length = lengthOf(level)
  return { from: block * length, to: (block + 1) * length }
}

function parentOf({ level, block }: Block): Block {
  return { level: level + 1, block: Math.floor(block / 8) }
}

function childrenOf({ level, block }: Block): Block[] {
  return Array.from({ length: 8 }, (_, i) => ({ level: level - 1, block: block * 8 + i }))
}

const keyOf = ({ level, block }: Block) => `${level} ${block}`

/** The marked blocks and all that contain them. */
function spread(marks: readonly Block[]): Set<string> {
  const found = new Set<string>()
  for (const mark of marks) {
    for (let one = mark; one.level <= TOP_LEVEL && !found.has(keyOf(one)); one = parentOf(one)) {
      found.add(keyOf(one))
    }
  }
  return found
}

export type Cover = { blocks: Block[]; spans: Span[] }

/**
 * As few blocks as fit into the window, end before `closed` and are not in doubt; the rest as spans of time.
 * Invariant: blocks and spans do not overlap and together are the window.
 */
export function coverWindow(
  window: Span,
  closed: Instant,
  marks: readonly Block[],
  top = TOP_LEVEL,
): Cover {
  const doubted = spread(marks)
  const end = Math.max(window.from, Math.min(window.to, closed))
  const cover: Cover = { blocks: [], spans: [] }
  const visit = (one: Block, bottom: number): void => {
    const { from, to } = spanOf(one)
    if (to <= window.from || from >= end) return
    const isWhole = from >= window.from && to <= end
    if (isWhole && !doubted.has(keyOf(one))) cover.blocks.push(one)
    else if (one.level > bottom) for (const child of childrenOf(one)) visit(child, bottom)
    else addSpan(cover.spans, Math.max(from, window.from), Math.min(to, end))
  }
  // Sums are kept by hour alone: there the top is the bottom too.
  const bottom = top === TOP_LEVEL ? 0 : top
  if (window.from < end) {
    const last = blockAt(end - 1, top)
    for (let block = blockAt(window.from, top); block <= last; block++) {
      visit({ level: top, block }, bottom)
    }
  }
  addSpan(cover.spans, end, window.to)
  return cover
}

/** Spans that touch become one. */
function addSpan(spans: Span[], from: Instant, to: Instant): void {
  if (from >= to) return
  const last = spans.at(-1)
  if (last?.to === from) spans[spans.length - 1] = { from: last.from, to }
  else spans.push({ from, to })
}
