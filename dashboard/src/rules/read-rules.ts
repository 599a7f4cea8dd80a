// All rules and what each has done lately.
import { useQuery } from '@tanstack/react-query'
import { type CallError, call } from '../app/call-api.ts'
import { readPages } from '../app/read-pages.ts'
import type { Rule } from '../generated/api.ts'
import { useAdmin } from '../ui/use-admin.ts'
import { type Activity, NONE } from './rule-activity.ts'

/** Ten thousand rules; nobody has them. */
const MOST_PAGES = 100

async function readAllRules(signal: AbortSignal): Promise<Rule[]> {
  const { rows } = await readPages(
    query => call('GET /v1/rules', { query, signal }),
    rule => rule.id,
    { most_pages: MOST_PAGES, signal },
  )
  return rows
}

/** In their order of evaluation. */
export function useRules(enabled = true) {
  return useQuery<Rule[], CallError>({
    queryKey: ['GET /v1/rules', 'all'],
    queryFn: ({ signal }) => readAllRules(signal),
    enabled,
  })
}

type Counted = { rule_id: string; fired: number; people: number; effect: number }

/** What each rule did in the last 30 days; undefined until it is known. */
export function useActivity(): ((rule_id: string) => Activity) | undefined {
  const { data } = useAdmin<{ most: number; data: Counted[] }>('/admin/rules/activity')
  if (!data) return undefined
  const byRule = new Map(data.data.map(one => [one.rule_id, one]))
  return rule_id => {
    const did = byRule.get(rule_id)
    return did ? { ...did, more: did.fired >= data.most } : NONE
  }
}
