// A time as people say it, with the exact one in their zone and in UTC on hover; it moves on by itself.
import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { sayExact, sayTime } from './dates.ts'

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
  return (
    <Tooltip label={sayExact(at)}>
      <time dateTime={at} className="number nowrap">
        {sayTime(Date.parse(at), Math.max(current, Date.now() - 5_000))}
      </time>
    </Tooltip>
  )
}
