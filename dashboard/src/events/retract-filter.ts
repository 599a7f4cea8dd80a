// Which events a retraction means, as it stands in the address and as the server takes it. Pure.
import { conditionsFaults } from '../../../scoring/conditions.ts'
import type { Address } from '../app/address.ts'
import type { Operations, RetractionJob } from '../generated/api.ts'

export type RetractFilter = Operations['POST /v1/events/retract']['body']['filter']

const WORDS = ['type', 'source', 'employee_id', 'from', 'to'] as const

export function filterOf(address: Address): RetractFilter {
  const words = WORDS.flatMap(name => (address[name] ? [[name, address[name]]] : []))
  const conditions = conditionsOf(address)
  const some = Object.keys(conditions).length > 0
  return { ...Object.fromEntries(words), ...(some ? { conditions } : {}) }
}

/** What is not well-formed is none: the address may be anything. */
export function conditionsOf({ conditions }: Address): Record<string, unknown> {
  try {
    const read = JSON.parse(conditions ?? '{}') as Record<string, unknown>
    return conditionsFaults(read).length > 0 ? {} : read
  } catch {
    return {}
  }
}

/** The server wants more than a span of time. */
export function isNarrow({ type, source, employee_id, conditions }: RetractFilter): boolean {
  return [type, source, employee_id, conditions].some(one => one !== undefined)
}

export function addressOf({ job_id, filter, reason }: RetractionJob): Record<string, string> {
  const { conditions, ...words } = filter
  const given = Object.entries(words).filter(([, value]) => value !== undefined)
  return {
    ...(Object.fromEntries(given) as Record<string, string>),
    ...(conditions ? { conditions: JSON.stringify(conditions) } : {}),
    reason,
    job: job_id,
  }
}

/** What the events are called when one is asked to confirm. */
export function nameOf({ type, source, conditions }: RetractFilter): string {
  const campaign = conditions?.campaign
  if (typeof campaign === 'string') return campaign
  return type ?? source ?? 'retract'
}

/** A day of the address as the instant the server makes of it; the end of the span is the day's last one. */
function instantOf(day: string | undefined, end: boolean): number | null {
  if (day === undefined) return null
  const at = Date.parse(day)
  return end && day.length === 10 ? at + 86_400_000 - 1 : at
}

/** Whether a finished preview was made of exactly this: nothing else may be confirmed by it. */
export function isPreviewOf(job: RetractionJob | undefined, filter: RetractFilter): boolean {
  if (!job?.dry_run || job.status !== 'completed') return false
  const same = (['type', 'source', 'employee_id', 'conditions'] as const).every(
    name => spell(job.filter[name]) === spell(filter[name]),
  )
  const span = (one: RetractFilter) => [instantOf(one.from, false), instantOf(one.to, true)]
  return same && spell(span(job.filter)) === spell(span(filter))
}

/** The database keeps no order of keys, so order is none of the matter. */
function spell(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
