// A score as a dial: how far round it is, in the colour, mark and name of its band.
import { BAND_LOOK, type Band, bandFill, bandText } from './bands.ts'
import './score-dial.css'
import { toRem } from './text-scale.ts'

const RADIUS = 42
const ROUND = 2 * Math.PI * RADIUS
/** The dial is open at the bottom. */
const SWEEP = 0.75

export function ScoreDial({ score, band }: { score: number; band: Band }) {
  const { label, mark } = BAND_LOOK[band]
  const arc = { fill: 'none', strokeWidth: 9, strokeLinecap: 'round' as const }
  return (
    <svg width={toRem(116)} height={toRem(116)} viewBox="0 0 100 100" role="img">
      <title>{`Score ${score} of 100, band ${label}`}</title>
      <g transform="rotate(135 50 50)">
        <circle
          {...arc}
          cx="50"
          cy="50"
          r={RADIUS}
          stroke="var(--surface-sunken)"
          strokeDasharray={`${ROUND * SWEEP} ${ROUND}`}
        />
        {score > 0 && (
          <circle
            {...arc}
            cx="50"
            cy="50"
            r={RADIUS}
            stroke={bandFill(band)}
            strokeDasharray={`${(ROUND * SWEEP * score) / 100} ${ROUND}`}
          />
        )}
      </g>
      <text x="50" y="57" textAnchor="middle" className="dial-score number">
        {score}
      </text>
      <text
        x="50"
        y="74"
        textAnchor="middle"
        className="dial-band"
        style={{ fill: bandText(band) }}
      >
        {mark} {label}
      </text>
    </svg>
  )
}
