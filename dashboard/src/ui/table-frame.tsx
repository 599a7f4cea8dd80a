// What holds a table: its heads stay in sight as the page is scrolled; only one that is too wide is scrolled by itself.
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import './data-table.css'

/** A frame that scrolls would keep its heads to itself, so it does only where something would be out of reach. */
export function TableFrame({ children }: { children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const [wide, setWide] = useState(false)
  useLayoutEffect(() => {
    const { current } = frame
    const table = current?.firstElementChild
    if (!current || !table) return
    const measure = () => setWide(table.scrollWidth > current.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    observer.observe(table)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={frame} className="table-frame" data-wide={wide || undefined} tabIndex={-1}>
      {children}
    </div>
  )
}
