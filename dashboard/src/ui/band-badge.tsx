// A band, or a score in its band: always with name and mark, so that colour is never needed to read it.
import { BAND_LOOK, type Band, bandFill, bandText } from './bands.ts'

type Props = { band: Band; score?: number | string }

export function BandBadge({ band, score }: Props) {
  const { label, mark } = BAND_LOOK[band]
  return (
    <span className="band-badge number" style={{ color: bandText(band) }} title={label}>
      <span aria-hidden="true" className="band-mark" style={{ color: bandFill(band) }}>
        {mark}
      </span>
      {score !== undefined && <strong>{score}</strong>}
      <span>{label}</span>
    </span>
  )
}
