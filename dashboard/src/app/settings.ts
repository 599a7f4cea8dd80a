// How the tenant's scores are computed; the band edges are drawn on every chart.
import { useQuery } from '@tanstack/react-query'
import { type BandEdges, DEFAULT_EDGES } from '../../../scoring/settings.ts'
import { type CallError, callAdmin } from './call-api.ts'

export type Settings = BandEdges & {
  tenant_id: string
  name: string
  plan: string
  starting_score: number
  half_life_days: number
  recovery_cap: number
  clean_streak_days: number
  retention_months: number
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

export function useSettings() {
  return useQuery<Settings, CallError>({
    queryKey: SETTINGS_KEY,
    queryFn: () => callAdmin<Settings>('GET', '/admin/settings'),
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.data?.jobs.length ? 1_500 : false),
  })
}

export function useEdges(): BandEdges {
  return useSettings().data ?? DEFAULT_EDGES
}
