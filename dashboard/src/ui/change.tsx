// A change with its sign, never by colour alone.
import { signed } from './numbers.ts'

type Props = { value: number; digits?: number; period?: string }

export function Change({ value, digits = 0, period }: Props) {
  const tone = value > 0 ? 'good' : value < 0 ? 'bad' : undefined
  const arrow = value > 0 ? '▲' : value < 0 ? '▼' : ''
  return (
    <span className="number">
      <span className={tone}>
        <span aria-hidden="true" className="change-arrow">
          {arrow}
        </span>
        {signed(value, digits)}
      </span>
      {period && <span className="change-period"> {period}</span>}
    </span>
  )
}
