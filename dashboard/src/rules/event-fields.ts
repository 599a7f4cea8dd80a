// What real events look like: the types there are, and the fields and values of one type, to choose from.
import { useMemo } from 'react'
import { useRead } from '../app/query-client.ts'
import { serviceDay } from '../app/service-clock.ts'
import { useMay } from '../app/session.ts'
import type { Event } from '../generated/api.ts'
import { printValue } from './condition-rows.ts'
import { useRules } from './read-rules.ts'

const MOST_VALUES = 12

/** Types that have come in within a year, or that rules name. */
export function useEventTypes(): string[] {
  const mayEvents = useMay('events:read')
  const day = serviceDay(364)
  const seen = useRead(
    'GET /v1/events/statistics',
    { query: { from: day, group_by: 'type' } },
    { enabled: mayEvents, staleTime: 300_000 },
  )
  const rules = useRules()
  const types = new Set([
    ...(seen.data?.data ?? []).map(one => one.type),
    ...(rules.data ?? []).map(rule => rule.event_type),
  ])
  return [...types].filter(type => !type.startsWith('manual.')).toSorted()
}

/** Fields of the newest events of a type, each with values it has had. */
export function useEventFields(event_type: string): ReadonlyMap<string, readonly string[]> {
  const mayEvents = useMay('events:read')
  const named = /^[\w-]+(\.[\w-]+)+$/.test(event_type)
  const query = named ? { type: event_type, per_page: 100 } : { per_page: 100 }
  const events = useRead(
    'GET /v1/events',
    { query },
    { enabled: mayEvents, staleTime: 300_000, placeholderData: before => before },
  )
  const seen = events.data?.data
  return useMemo(() => gatherFields(seen ?? []), [seen])
}

function gatherFields(events: readonly Event[]): Map<string, string[]> {
  const fields = new Map<string, Set<string>>([['source', new Set()]])
  const note = (path: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value)) fields.set(path, fields.get(path) ?? new Set())
      else for (const [key, inner] of Object.entries(value)) note(`${path}.${key}`, inner)
      return
    }
    const values = fields.get(path) ?? new Set<string>()
    if (values.size < MOST_VALUES) values.add(printValue(value))
    fields.set(path, values)
  }
  for (const event of events) {
    note('source', event.source)
    for (const [key, value] of Object.entries(event.details)) note(key, value)
  }
  return new Map([...fields].map(([path, values]) => [path, [...values].toSorted()]))
}
