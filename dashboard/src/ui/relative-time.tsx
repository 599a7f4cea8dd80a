// A time as people say it, with the exact one in their zone and in UTC on hover; it moves on by itself.
import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'

const STEPS: readonly [limit: number, size: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, 'second'],
  [3600, 60, 'minute'],
  [86_400, 3600, 'hour'],
  [86_400 * 14, 86_400, 'day'],
  [86_400 * 60, 86_400 * 7, 'week'],
  [86_400 * 365, 86_400 * 30.4, 'month'],
  [Number.POSITIVE_INFINITY, 86_400 * 365, 'year'],
]

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

export function sayTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  const [, size, unit] = STEPS.find(([limit]) => Math.abs(seconds) < limit)!
  if (unit === 'second' && Math.abs(seconds) < 5) return 'just now'
  return words.format(Math.round(seconds / size), unit)
}

export const sayDay = (at: string | number): string => day.format(new Date(at))
export const sayShortDay = (at: string | number): string => shortDay.format(new Date(at))
export const sayUtc = (at: string): string => `${at.replace('T', ' ').slice(0, 19)} UTC`

let now = Date.now()
const listeners = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined

/** One clock for all times on the page. */
function follow(listener: () => void): () => void {
  listeners.add(listener)
  ticking ??= setInterval(() => {
    now = Date.now()
    for (const one of listeners) one()
  }, 5_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

export function useNow(): number {
  return useSyncExternalStore(follow, () => now)
}

export function RelativeTime({ at, never = 'never' }: { at: string | null; never?: string }) {
  const current = useNow()
  if (at === null) return <span className="faint">{never}</span>
  const exact = `${local.format(new Date(at))} · ${sayUtc(at)}`
  return (
    <Tooltip label={exact}>
      <time dateTime={at} className="number nowrap">
        {sayTime(Date.parse(at), Math.max(current, Date.now() - 5_000))}
      </time>
    </Tooltip>
  )
}
