// Reads the dashboard's own routes; `refresh(path)` looks them up again.
import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { type CallError, callAdmin } from '../app/call-api.ts'
import { unlessFailed } from '../app/look-again.ts'

type Extra<T> = Pick<
  UseQueryOptions<T, CallError>,
  'enabled' | 'placeholderData' | 'refetchInterval' | 'staleTime'
>

export function useAdmin<T>(path: string, { refetchInterval = false, ...extra }: Extra<T> = {}) {
  return useQuery<T, CallError>({
    queryKey: [`GET ${path}`],
    queryFn: () => callAdmin<T>('GET', path),
    refetchInterval: unlessFailed(refetchInterval),
    ...extra,
  })
}
