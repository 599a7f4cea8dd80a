// How many people are in each band, as a ring; its numbers stand beside it as links.
import type { BandDistribution } from '../generated/api.ts'
import { BAND_LOOK, BANDS, bandFill } from '../ui/bands.ts'
import { count, plural } from '../ui/numbers.ts'
import { toRem } from '../ui/text-scale.ts'
import './scores.css'

const RADIUS = 42
const ROUND = 2 * Math.PI * RADIUS
const GAP = 1.5

export function BandDonut({ bands, total }: { bands: BandDistribution; total: number }) {
  const present = BANDS.filter(band => bands[band].count > 0)
  const gap = present.length > 1 ? GAP : 0
  let turned = 0
  return (
    <svg width={toRem(172)} height={toRem(172)} viewBox="0 0 100 100" role="img">
      <title>{`${plural(total, 'person', 'people')} by band; the numbers follow`}</title>
      <g transform="rotate(-90 50 50)" fill="none" strokeWidth={13}>
        <circle cx="50" cy="50" r={RADIUS} stroke="var(--surface-sunken)" />
        {present.map(band => {
          const length = (bands[band].count / total) * ROUND
          const offset = -turned
          turned += length
          return (
            <circle
              key={band}
              cx="50"
              cy="50"
              r={RADIUS}
              stroke={bandFill(band)}
              strokeDasharray={`${Math.max(0.6, length - gap)} ${ROUND}`}
              strokeDashoffset={offset}
            >
              <title>{`${BAND_LOOK[band].label}: ${plural(bands[band].count, 'person', 'people')}`}</title>
            </circle>
          )
        })}
      </g>
      <text x="50" y="53" textAnchor="middle" className="donut-count number">
        {count(total)}
      </text>
      <text x="50" y="65" textAnchor="middle" className="donut-word">
        {total === 1 ? 'person' : 'people'}
      </text>
    </svg>
  )
}
