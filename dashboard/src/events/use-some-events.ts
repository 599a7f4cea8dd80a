// Whether anything has come in at all: where nothing has, no longer span and no other filter shows more.
import { useRead } from '../app/query-client.ts'

/** Undefined until it is known. */
export function useSomeEvents(): boolean | undefined {
  const { data } = useRead('GET /v1/events', { query: { per_page: 1 } })
  return data && data.pagination.total > 0
}
