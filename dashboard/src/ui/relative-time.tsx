// A time as people say it, with the exact one in their zone and in UTC on hover; it moves on by itself.
import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { serviceNow } from '../app/service-clock.ts'
import { sayExact, sayTime } from './dates.ts'

const EVERY_MS = 5_000
let now = serviceNow()
const listeners = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined

/** One clock for all times on the page. */
function follow(listener: () => void): () => void {
  listeners.add(listener)
  ticking ??= setInterval(() => {
    for (const one of listeners) one()
  }, EVERY_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

/** The same for a while; at once another where the service's time became known, or nobody has looked for long. */
function readNow(): number {
  const current = serviceNow()
  if (Math.abs(current - now) >= EVERY_MS) now = current
  return now
}

export function useNow(): number {
  return useSyncExternalStore(follow, readNow)
}

export function RelativeTime({ at, never = 'never' }: { at: string | null; never?: string }) {
  const current = useNow()
  if (at === null) return <span className="faint">{never}</span>
  return (
    <Tooltip label={sayExact(at)}>
      <time dateTime={at} className="number nowrap">
        {sayTime(Date.parse(at), current)}
      </time>
    </Tooltip>
  )
}
