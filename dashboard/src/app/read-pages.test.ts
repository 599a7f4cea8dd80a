// Reading a whole list page by page: to its end or its bound, no row twice, patient where it is asked to wait.
import { describe, expect, test } from 'vitest'
import { CallError } from './call-api.ts'
import { type ReadPage, readPages } from './read-pages.ts'

const rowsOf = (many: number) => Array.from({ length: many }, (_, i) => ({ id: `${i}` }))

const listOf =
  (rows: readonly { id: string }[]): ReadPage<{ id: string }> =>
  async ({ page, per_page }) => ({
    data: rows.slice((page - 1) * per_page, page * per_page),
    pagination: { total: rows.length, total_pages: Math.ceil(rows.length / per_page) },
  })

const keyOf = ({ id }: { id: string }) => id

describe('readPages', () => {
  test('reads to the end and tells how far it is', async () => {
    const told: [number, number][] = []
    const tell = (read: number, total: number) => void told.push([read, total])
    const { rows, total } = await readPages(listOf(rowsOf(250)), keyOf, { most_pages: 9, tell })
    expect([rows.length, total]).toEqual([250, 250])
    expect(told).toEqual([
      [100, 250],
      [200, 250],
      [250, 250],
    ])
  })

  test('an empty list is one question, a long one ends at the bound', async () => {
    expect((await readPages(listOf([]), keyOf, { most_pages: 9 })).rows).toEqual([])
    const long = await readPages(listOf(rowsOf(900)), keyOf, { most_pages: 3 })
    expect([long.rows.length, long.total]).toEqual([300, 900])
  })

  test('a list that grows at its head while it is read gives no row twice', async () => {
    let list = rowsOf(150)
    const growing: ReadPage<{ id: string }> = async at => {
      const answer = await listOf(list)(at)
      list = [{ id: `new ${at.page}` }, ...list]
      return answer
    }
    const { rows, total } = await readPages(growing, keyOf, { most_pages: 9 })
    expect(rows.map(keyOf)).toEqual(rowsOf(150).map(keyOf))
    expect(total, 'nothing that was there is missing').toBe(150)
  })

  test('429 is waited for and asked again; another error, or too many of them, ends it', async () => {
    const waits: number[] = []
    const wait = async (seconds: number) => void waits.push(seconds)
    const limited = new CallError('slow down', { status: 429, retry_after: 3 })
    let refused = 2
    const busy: ReadPage<{ id: string }> = at => {
      if (refused-- > 0) throw limited
      return listOf(rowsOf(3))(at)
    }
    expect((await readPages(busy, keyOf, { most_pages: 9, wait })).rows).toHaveLength(3)
    expect(waits).toEqual([3, 3])
    const shut: ReadPage<{ id: string }> = async () => {
      throw limited
    }
    await expect(readPages(shut, keyOf, { most_pages: 9, wait })).rejects.toBe(limited)
    const broken = new CallError('no', { status: 500 })
    const failing: ReadPage<{ id: string }> = async () => {
      throw broken
    }
    await expect(readPages(failing, keyOf, { most_pages: 9, wait })).rejects.toBe(broken)
  })

  test('an aborted reading stops before the next page', async () => {
    const control = new AbortController()
    const tell = () => control.abort()
    const reading = { most_pages: 9, tell, signal: control.signal }
    await expect(readPages(listOf(rowsOf(250)), keyOf, reading)).rejects.toThrow()
  })
})
