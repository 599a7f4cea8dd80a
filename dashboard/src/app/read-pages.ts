// Reads a list that comes in pages to its end: bounded, with its progress told, and waiting where it asked too fast.
import { CallError } from './call-api.ts'
import { secondsToSpare } from './request-budget.ts'

export type ListPage<Row> = {
  data: readonly Row[]
  pagination: { total: number; total_pages: number }
}

export type ReadPage<Row> = (at: { page: number; per_page: number }) => Promise<ListPage<Row>>

const PER_PAGE = 100

export type Reading = {
  /** Pages at most; a list that never ends helps nobody. */
  most_pages: number
  tell?: (read: number, total: number) => void
  signal?: AbortSignal
  wait?: (seconds: number) => Promise<void>
}

/**
 * Invariant: no row twice, though the list may grow at its head while it is read.
 * The total is that of the beginning: what came in meanwhile is not missing.
 */
export async function readPages<Row>(
  read: ReadPage<Row>,
  keyOf: (row: Row) => string,
  { most_pages, tell, signal, wait = sleep }: Reading,
): Promise<{ rows: Row[]; total: number }> {
  const rows = new Map<string, Row>()
  let total: number | undefined
  for (let page = 1; page <= most_pages; page++) {
    if (page > 1 && secondsToSpare() > 0) await wait(secondsToSpare())
    signal?.throwIfAborted()
    const { data, pagination } = await readPatiently(() => read({ page, per_page: PER_PAGE }), wait)
    for (const row of data) rows.set(keyOf(row), row)
    total ??= pagination.total
    tell?.(rows.size, pagination.total)
    if (page >= pagination.total_pages) break
  }
  return { rows: [...rows.values()], total: total ?? 0 }
}

const MOST_WAITS = 5

async function readPatiently<T>(read: () => Promise<T>, wait: (seconds: number) => Promise<void>) {
  for (let waited = 0; ; waited++) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 429 || waited >= MOST_WAITS) throw error
      await wait(error.retry_after ?? 1)
    }
  }
}

const sleep = (seconds: number) =>
  new Promise<void>(resolve => {
    setTimeout(resolve, seconds * 1000)
  })
