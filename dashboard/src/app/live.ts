// Keeps what is shown current: the server says when events have come in, the page looks again.
import { useEffect, useState } from 'react'
import { queryClient, refresh } from './query-client.ts'
import { spaceLooks } from './space-looks.ts'

const MOVING = ['/v1/scores', '/v1/events', '/v1/employees', '/admin/employees/names']
/** Where no line can be had, looking now and then must do. */
const LOOK_MS = 30_000
/** Not everything is told: a person is erased, added or moved, and a score recovers, without an event. */
const UNTOLD_MS = 60_000

export type LiveState = 'live' | 'waiting'

/** One open line a visible window: hidden ones close theirs, browsers allow few connections. */
export function useLive(enabled: boolean): LiveState {
  const [state, setState] = useState<LiveState>('waiting')
  useEffect(() => {
    if (!enabled) return
    let source: EventSource | null = null
    const { ask: look, drop } = spaceLooks(() => refresh(...MOVING))
    let down = false
    const open = () => {
      source = new EventSource('/admin/live')
      source.addEventListener('open', () => {
        setState('live')
        // Whatever was asked for meanwhile may have failed, not only what moves.
        if (down) queryClient.invalidateQueries()
        down = false
      })
      source.addEventListener('error', () => {
        setState('waiting')
        down = true
      })
      source.addEventListener('changed', look)
    }
    const follow = () => {
      if (document.hidden) {
        source?.close()
        source = null
        drop()
        setState('waiting')
      } else if (!source) {
        open()
        look()
      }
    }
    open()
    document.addEventListener('visibilitychange', follow)
    const fallback = setInterval(() => {
      if (document.hidden || source?.readyState === EventSource.OPEN) return
      // A refusal, such as that of a proxy without a server behind it, ends a line for good.
      if (source?.readyState === EventSource.CLOSED) open()
      look()
    }, LOOK_MS)
    const untold = setInterval(() => {
      if (!document.hidden) look()
    }, UNTOLD_MS)
    return () => {
      source?.close()
      drop()
      clearInterval(fallback)
      clearInterval(untold)
      document.removeEventListener('visibilitychange', follow)
    }
  }, [enabled])
  return state
}
