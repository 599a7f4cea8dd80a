// How the tenant's scores are computed; the band edges are drawn on every chart.
import { useQuery } from '@tanstack/react-query'
import { type BandEdges, DEFAULT_EDGES } from '../../../scoring/settings.ts'
import { type CallError, callAdmin } from './call-api.ts'
import { unlessFailed } from './look-again.ts'

export type Settings = BandEdges & {
  tenant_id: string
  name: string
  plan: string
  starting_score: number
  half_life_days: number
  recovery_cap: number
  clean_streak_days: number
  retention_months: number
  revoke_keys_of_leavers: boolean
  limits: Record<string, number>
  jobs: {
    job_id: string
    kind: string
    status: string
    employees_total: number
    employees_processed: number
  }[]
}

export const SETTINGS_KEY = ['settings']

/** While a change is carried to everyone. */
const RUNNING_MS = 1_500
/** Another admin may change them while a page is open. */
const LOOK_MS = 60_000

export function useSettings() {
  return useQuery<Settings, CallError>({
    queryKey: SETTINGS_KEY,
    queryFn: () => callAdmin<Settings>('GET', '/admin/settings'),
    staleTime: 60_000,
    refetchInterval: unlessFailed(({ state }) => (state.data?.jobs.length ? RUNNING_MS : LOOK_MS)),
  })
}

export function useEdges(): BandEdges {
  return useSettings().data ?? DEFAULT_EDGES
}
