// What lies over every page is about the one it was opened on: whoever goes back or forward sees the other one.
import { useLocation } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'

export function useCloseWithPage(close: () => void): void {
  const { pathname } = useLocation()
  const opened_on = useRef(pathname)
  const closeNow = useEffectEvent(close)
  useEffect(() => {
    if (opened_on.current === pathname) return
    opened_on.current = pathname
    closeNow()
  }, [pathname])
}
