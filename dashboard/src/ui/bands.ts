// The bands as people see them: name, mark and colours; colour never stands alone.
import { BANDS, type Band, type BandEdges } from '../../../scoring/settings.ts'

export { BANDS, type Band, type BandEdges }

export const BAND_LOOK = {
  green: { label: 'Green', mark: '●' },
  yellow: { label: 'Yellow', mark: '▲' },
  orange: { label: 'Orange', mark: '◆' },
  red: { label: 'Red', mark: '■' },
  critical: { label: 'Critical', mark: '✖' },
} as const satisfies Record<Band, { label: string; mark: string }>

export const bandFill = (band: Band): string => `var(--band-${band})`
export const bandText = (band: Band): string => `var(--band-${band}-text)`

/** From the best down, each with the whole scores it holds. */
export function bandRanges(edges: BandEdges): { band: Band; from: number; to: number }[] {
  const lows = [edges.green, edges.yellow, edges.orange, edges.red, 0]
  return BANDS.map((band, i) => ({ band, from: lows[i]!, to: i === 0 ? 100 : lows[i - 1]! - 1 }))
}

/** The parts of the bands that scores from low to high lie in, the worst first. */
export function rangesBetween(low: number, high: number, edges: BandEdges) {
  return bandRanges(edges)
    .filter(({ from, to }) => from <= high && to >= low)
    .map(({ band, from, to }) => ({ band, from: Math.max(from, low), to: Math.min(to, high) }))
    .toReversed()
}

/** The colours of a bar of scores: where an edge lies within it, of both bands. */
export function fillBetween(low: number, high: number, edges: BandEdges): string {
  const place = (score: number) => `${((score - low) / (high - low + 1)) * 100}%`
  const stops = rangesBetween(low, high, edges).map(
    ({ band, from, to }) => `${bandFill(band)} ${place(from)} ${place(to + 1)}`,
  )
  return `linear-gradient(to right, ${stops.join(', ')})`
}

/** A score in words that bear no colours: with its band, as everywhere. */
export function sayScore(score: number, edges: BandEdges): string {
  return `${score} (${BAND_LOOK[bandAt(Math.floor(score + 0.5), edges)].label})`
}

export function bandAt(score: number, edges: BandEdges): Band {
  return bandRanges(edges).find(({ from }) => score >= from)?.band ?? 'critical'
}
