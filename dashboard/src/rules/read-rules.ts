// All rules and what each has done lately.
import { useQuery } from '@tanstack/react-query'
import { type CallError, call } from '../app/call-api.ts'
import type { Rule } from '../generated/api.ts'
import { useAdmin } from '../ui/use-admin.ts'

const PER_PAGE = 100
/** Ten thousand rules; nobody has them, and a list that never ends helps nobody. */
const MOST_PAGES = 100

async function readAllRules(signal: AbortSignal): Promise<Rule[]> {
  const rules: Rule[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const query = { page, per_page: PER_PAGE }
    const { data, pagination } = await call('GET /v1/rules', { query, signal })
    rules.push(...data)
    if (page >= pagination.total_pages) break
  }
  return rules
}

/** In their order of evaluation. */
export function useRules(enabled = true) {
  return useQuery<Rule[], CallError>({
    queryKey: ['GET /v1/rules', 'all'],
    queryFn: ({ signal }) => readAllRules(signal),
    enabled,
  })
}

export type Activity = { rule_id: string; fired: number; people: number; effect: number }

const NONE = { fired: 0, people: 0, effect: 0 }

/** What each rule did in the last 30 days; undefined until it is known. */
export function useActivity(): ((rule_id: string) => Omit<Activity, 'rule_id'>) | undefined {
  const { data } = useAdmin<{ days: number; data: Activity[] }>('/admin/rules/activity')
  if (!data) return undefined
  const byRule = new Map(data.data.map(one => [one.rule_id, one]))
  return rule_id => byRule.get(rule_id) ?? NONE
}
