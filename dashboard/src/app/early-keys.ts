// What is typed before the field of the search has focus belongs there all the same.
import { useEffectEvent, useLayoutEffect } from 'react'

export const SEARCH_FIELD = 'search-field'

export function useEarlyKeys(take: (key: string) => void): void {
  const takeNow = useEffectEvent(take)
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (document.activeElement?.id === SEARCH_FIELD) return
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      takeNow(event.key)
    }
    window.addEventListener('keydown', hear, { capture: true })
    return () => window.removeEventListener('keydown', hear, { capture: true })
  }, [])
}
