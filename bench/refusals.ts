// Only 2xx counts: what was answered otherwise in a benchmark, by whom and how often each.
import type { Outcome } from './load.ts'
import type { Check } from './rounds.ts'

export type Refusals = {
  note(outcome: Outcome, who?: string): void
  check(): Check
}

export function watchRefusals(): Refusals {
  const counts = new Map<string, number>()
  return {
    note: ({ refused }, who = 'ours') => {
      for (const status of refused) {
        const what = `${status} of ${who}`
        counts.set(what, (counts.get(what) ?? 0) + 1)
      }
    },
    check: () => ({
      name: 'every request was answered 2xx',
      ok: counts.size === 0,
      detail: [...counts].map(([what, count]) => `${count} × ${what}`).join(', ') || 'no others',
    }),
  }
}
