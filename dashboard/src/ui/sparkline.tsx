// A score's last month at a glance: the same scale everywhere, so that two lines can be compared.
import { useEdges } from '../app/settings.ts'
import { sayScore } from './bands.ts'
import './sparkline.css'

type Props = { scores: readonly number[] | undefined; label: string }

const WIDTH = 84
const HEIGHT = 24

export function Sparkline({ scores, label }: Props) {
  const edges = useEdges()
  const say = (score: number) => sayScore(score, edges)
  if (!scores || scores.length === 0) return <span className="sparkline-room" />
  const step = WIDTH / Math.max(1, scores.length - 1)
  const points = scores.map((score, i) => [i * step, 2 + (1 - score / 100) * (HEIGHT - 4)] as const)
  const [x, y] = points.at(-1)!
  return (
    <svg viewBox={`0 0 ${WIDTH + 6} ${HEIGHT}`} className="sparkline" role="img">
      <title>{`${label}: from ${say(scores[0]!)} to ${say(scores.at(-1)!)} in 30 days`}</title>
      <path d={`M${points.map(point => point.map(one => one.toFixed(1)).join(' ')).join('L')}`} />
      <circle cx={x} cy={y} r={2.4} />
    </svg>
  )
}
