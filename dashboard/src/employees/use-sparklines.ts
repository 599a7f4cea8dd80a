// The scores of the last month of the people on a page.
import { printQuery } from '../app/call-api.ts'
import { useAdmin } from '../ui/use-admin.ts'

type Answer = { data: { id: string; scores: number[] }[] }

export function useSparklines(ids: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const path = `/admin/employees/sparklines${printQuery({ ids: ids.join(',') })}`
  const answer = useAdmin<Answer>(path, { enabled: ids.length > 0, staleTime: 60_000 })
  return new Map((answer.data?.data ?? []).map(one => [one.id, one.scores]))
}
