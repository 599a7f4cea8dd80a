// How answers are kept: shown at once when one comes back to a page, and looked up again behind.
import { QueryCache, QueryClient, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { Operations } from '../generated/api.ts'
import { CallError, type CallOptions, call, isLost } from './call-api.ts'
import { isAway, unlessFailed } from './look-again.ts'
import { SESSION_KEY } from './session.ts'

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: error => lookAfter(error) }),
  defaultOptions: {
    // Without a network nothing waits in silence: it fails, says so, and is asked for again once there is one.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 15_000,
      retry: (count, error) => count < 2 && isAway(error),
      refetchInterval: unlessFailed(false),
    },
  },
})

type Reading = Extract<keyof Operations, `GET ${string}`>

type ReadOptions<K extends Reading> = Omit<CallOptions<K>, 'signal' | 'idempotency_key'>

type Extra<K extends Reading> = Pick<
  UseQueryOptions<Operations[K]['answer'], CallError>,
  'enabled' | 'placeholderData' | 'refetchInterval' | 'staleTime'
> & {
  /** A span that ends now begins later with every minute, and is the same question all the same: its name. */
  span?: string | undefined
}

const LOOK_MS = 60_000

/** Reads one operation of the API and keeps it under its own name. */
export function useRead<K extends Reading>(
  operation: K,
  options: ReadOptions<K> = {} as ReadOptions<K>,
  { span, refetchInterval = span ? LOOK_MS : false, ...extra }: Extra<K> = {},
) {
  const question = span ? { ...options, query: { ...options.query, from: span } } : options
  return useQuery<Operations[K]['answer'], CallError>({
    queryKey: [operation, question],
    queryFn: ({ signal }) => call(operation, { ...options, signal } as unknown as CallOptions<K>),
    refetchInterval: unlessFailed(refetchInterval),
    ...extra,
  })
}

/** What a change has answered stands in for a look, which comes later. */
export function putRead<K extends Reading>(
  operation: K,
  options: ReadOptions<K>,
  answer: Operations[K]['answer'],
): void {
  queryClient.setQueryData([operation, options], answer)
}

/** Everything that was read through one of these operations is looked up again. */
export function refresh(...operations: readonly string[]): Promise<unknown> {
  return queryClient.invalidateQueries({ predicate: readBy(operations) })
}

/**
 * Of a change without an answer nobody knows whether it was made: what is shown tells. Whoever is refused
 * may have lost a right meanwhile: what they may do is looked up again, and the rest is no longer offered.
 */
export async function lookAfter(error: unknown): Promise<void> {
  if (isLost(error)) await queryClient.invalidateQueries()
  if (error instanceof CallError && error.status === 403)
    await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
}

/**
 * Away from what was just deleted. What was read before is dropped, not only looked up again: neither
 * the list gone to nor the way back shows it once more, not even for a moment.
 */
export async function leaveDeleted(
  go: () => Promise<void>,
  ...operations: readonly string[]
): Promise<void> {
  const away = { type: 'inactive', predicate: readBy(operations) } as const
  queryClient.removeQueries(away)
  await go()
  queryClient.removeQueries(away)
  refresh(...operations)
}

const readBy =
  (operations: readonly string[]) =>
  ({ queryKey }: { queryKey: readonly unknown[] }) =>
    operations.some(one => String(queryKey[0]).includes(one))
