// The bands on a scale from 0 to 100, with edges one can drag or move with the arrow keys.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { BAND_LOOK, type BandEdges, bandFill, bandRanges } from '../ui/bands.ts'
import './settings.css'

export const EDGES = ['green', 'yellow', 'orange', 'red'] as const
export type Edge = (typeof EDGES)[number]

/** Invariant: each edge stays below the one above it and above the one below it. */
export function boundsOf(edge: Edge, edges: BandEdges): { least: number; most: number } {
  const at = EDGES.indexOf(edge)
  const above = EDGES[at - 1]
  const below = EDGES[at + 1]
  return { least: below ? edges[below] + 1 : 1, most: above ? edges[above] - 1 : 100 }
}

type Props = { edges: BandEdges; onMove?: (edge: Edge, value: number) => void }

export function BandScale({ edges, onMove }: Props) {
  const track = useRef<HTMLDivElement>(null)
  const move = (edge: Edge, value: number) => {
    const { least, most } = boundsOf(edge, edges)
    onMove?.(edge, Math.min(most, Math.max(least, Math.round(value))))
  }
  const follow = (edge: Edge) => (event: PointerEvent<HTMLElement>) => {
    const box = track.current?.getBoundingClientRect()
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    move(edge, ((event.clientX - box.left) / box.width) * 100)
  }
  return (
    <div className="band-scale">
      <div className="band-track" ref={track}>
        {bandRanges(edges).map(({ band, from, to }) => (
          <div
            key={band}
            className="band-part"
            title={`${BAND_LOOK[band].label}: ${from} to ${to}`}
            style={{ left: `${from}%`, width: `${to + 1 - from}%`, background: bandFill(band) }}
          >
            <span aria-hidden="true">{BAND_LOOK[band].mark}</span>
          </div>
        ))}
        {onMove &&
          EDGES.map(edge => (
            <Handle key={edge} edge={edge} edges={edges} onMove={move} onDrag={follow(edge)} />
          ))}
      </div>
      <div className="band-ticks number" aria-hidden="true">
        {[0, 20, 40, 60, 80, 100].map(tick => (
          <span key={tick} style={{ left: `${tick}%` }}>
            {tick}
          </span>
        ))}
      </div>
    </div>
  )
}

type HandleProps = {
  edge: Edge
  edges: BandEdges
  onMove: (edge: Edge, value: number) => void
  onDrag: (event: PointerEvent<HTMLElement>) => void
}

function Handle({ edge, edges, onMove, onDrag }: HandleProps) {
  const value = edges[edge]
  const { least, most } = boundsOf(edge, edges)
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: value - 1,
      ArrowDown: value - 1,
      ArrowRight: value + 1,
      ArrowUp: value + 1,
      PageDown: value - 5,
      PageUp: value + 5,
      Home: least,
      End: most,
    }
    const next = steps[event.key]
    if (next === undefined) return
    event.preventDefault()
    onMove(edge, next)
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      className="band-handle"
      style={{ left: `${value}%` }}
      aria-label={`${BAND_LOOK[edge].label} begins at`}
      aria-valuenow={value}
      aria-valuemin={least}
      aria-valuemax={most}
      onKeyDown={onKeyDown}
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onDrag}
    >
      <span className="number">{value}</span>
    </div>
  )
}
