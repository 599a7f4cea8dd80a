// People by band before and after a change: two bars a band, and the difference.
import { BAND_LOOK, BANDS, type Band, bandFill, bandText } from './bands.ts'
import { Change } from './change.tsx'
import { count } from './numbers.ts'
import './shift.css'

type Counts = Readonly<Record<Band, number>>

export function BandShift({ before, after }: { before: Counts; after: Counts }) {
  const most = Math.max(1, ...BANDS.flatMap(band => [before[band], after[band]]))
  return (
    <table className="band-shift">
      <thead>
        <tr>
          <th scope="col">Band</th>
          <th scope="col">
            <span className="unseen">Bars</span>
          </th>
          <th scope="col">Now</th>
          <th scope="col">Then</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {BANDS.map(band => (
          <tr key={band}>
            <th scope="row" style={{ color: bandText(band) }}>
              <span aria-hidden="true" style={{ color: bandFill(band) }}>
                {BAND_LOOK[band].mark}
              </span>{' '}
              {BAND_LOOK[band].label}
            </th>
            <td className="band-shift-bars" aria-hidden="true">
              <Bar part={before[band] / most} />
              <Bar part={after[band] / most} fill={bandFill(band)} />
            </td>
            <td className="number">{count(before[band])}</td>
            <td className="number strong">{count(after[band])}</td>
            <td>
              <Difference value={after[band] - before[band]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Bar({ part, fill }: { part: number; fill?: string }) {
  const look = { width: `${part * 100}%`, ...(fill ? { background: fill } : {}) }
  return <span className="band-shift-bar" style={look} />
}

/** More people in a band is neither good nor bad by itself, so it has no colour. */
function Difference({ value }: { value: number }) {
  if (value === 0) return <span className="faint">–</span>
  return (
    <span className="plain-change">
      <Change value={value} />
    </span>
  )
}
