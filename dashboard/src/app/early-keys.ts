// What is typed before the search has focus belongs there all the same.
import { useEffectEvent, useLayoutEffect } from 'react'

export function useEarlyKeys(take: (key: string) => void): void {
  const takeNow = useEffectEvent(take)
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (document.activeElement?.closest('[role=dialog]')) return
      if (event.ctrlKey || event.metaKey) return
      // There is nothing to open yet; and it is not meant for a button of the page behind.
      if (event.key === 'Enter') event.preventDefault()
      if (event.key.length !== 1) return
      event.preventDefault()
      takeNow(event.key)
    }
    window.addEventListener('keydown', hear, { capture: true })
    return () => window.removeEventListener('keydown', hear, { capture: true })
  }, [])
}
