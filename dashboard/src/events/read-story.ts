// What became of one event, as the server tells it.
import type { Band } from '../ui/bands.ts'
import { useAdmin } from '../ui/use-admin.ts'

export type GivenShare = {
  rule_id: string
  rule_name: string | null
  impact: number
  ended_at: string | null
  ended_by: 'retraction' | 'recalculation' | null
}

export type ScoreStep = {
  at: string
  reason: string
  score_before: number
  band_before: Band
  score_after: number
  band_after: Band
}

export type EventStory = {
  received_at: string
  inert: boolean
  retraction: string | null
  shares: GivenShare[]
  steps: ScoreStep[]
  cooled_by: { rule_id: string; event_id: string; timestamp: string }[]
}

export function useStory(id: string) {
  return useAdmin<EventStory>(`/admin/events/${encodeURIComponent(id)}/story`)
}
