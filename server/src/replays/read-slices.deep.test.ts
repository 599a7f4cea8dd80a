// Slices of time: every row comes once and in order, however the rows lie, and no read is much too large.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BREAK, type Lists, type Slice } from './dry-run.queries.ts'
import { readSlices } from './read-slices.ts'

/** A table of instants, read as the database would. */
function tableOf(instants: readonly number[], weight = 0) {
  const sorted = instants.toSorted((a, b) => a - b)
  const asked: { slice: Slice; rows: number }[] = []
  const read = async (slice: Slice, limit: number): Promise<Lists> => {
    const found = sorted.filter(at => at >= slice.from && at <= slice.to).slice(0, limit)
    asked.push({ slice, rows: found.length })
    if (found.length === 0) return { rows: 0, ids: null, times: null, more: null }
    const ids = found.map(at => `emp_${at}`).join(BREAK)
    const times = Buffer.from(
      new Float64Array(found.flatMap(at => [at / 1000, at / 1000])).buffer,
    ).swap64()
    const more = weight === 0 ? null : found.map(() => 'x'.repeat(weight)).join(BREAK)
    return { rows: found.length, ids, times, more }
  }
  return { sorted, asked, read }
}

async function readAll(instants: readonly number[], span: Slice, weight = 0) {
  const table = tableOf(instants, weight)
  const got: number[] = []
  await readSlices(span, table.read, (employee_id, timestamp) => {
    expect(employee_id).toBe(`emp_${timestamp}`)
    got.push(timestamp)
  })
  return { ...table, got }
}

describe('readSlices', () => {
  it('lets others have their turn where rows take long', async () => {
    const turns: number[] = []
    let [turn, over] = [0, false]
    const count = () => {
      turn++
      if (!over) setImmediate(count)
    }
    count()
    await readSlices({ from: 0, to: 0 }, tableOf([0, 0, 0]).read, () => {
      turns.push(turn)
      for (const began = performance.now(); performance.now() - began < 25; );
    })
    over = true
    expect(new Set(turns).size).toBe(3)
  })

  it('gives every row of the span once, in order', async () => {
    const instant = fc.integer({ min: 0, max: 10_000 })
    await fc.assert(
      fc.asyncProperty(fc.array(instant), instant, instant, async (instants, a, b) => {
        const span = { from: Math.min(a, b), to: Math.max(a, b) }
        const { sorted, got } = await readAll(instants, span)
        expect(got).toEqual(sorted.filter(at => at >= span.from && at <= span.to))
      }),
    )
  })

  it('cuts a burst after a quiet year into reads of bounded size', async () => {
    const year = 365 * 86_400_000
    const burst = Array.from({ length: 300_000 }, (_, i) => year - 300_000 + i)
    const { asked, got } = await readAll([5, ...burst], { from: 0, to: year })
    expect(got).toHaveLength(300_001)
    expect(Math.max(...asked.map(one => one.rows))).toBeLessThanOrEqual(80_001)
    expect(asked.length).toBeLessThan(40)
  })

  it('reads fewer at once where they weigh much', async () => {
    const instants = Array.from({ length: 20_000 }, (_, i) => i)
    const { asked, got } = await readAll(instants, { from: 0, to: 19_999 }, 20_000)
    expect(got).toEqual(instants)
    expect(Math.max(...asked.map(one => one.rows))).toBeLessThan(2_000)
  })

  it('asks for few at first, since they may weigh as much as an earlier release took in', async () => {
    const instants = Array.from({ length: 6_000 }, (_, i) => i)
    const { asked, got } = await readAll(instants, { from: 0, to: 6_000 * 32 })
    expect(got).toEqual(instants)
    expect(asked[0]!.rows).toBeLessThanOrEqual(101)
  })

  it('takes whole what happened in one millisecond', async () => {
    const { got } = await readAll(new Array(100_000).fill(7), { from: 0, to: 1000 })
    expect(got).toHaveLength(100_000)
  })
})
