// The bands of the people looked at: the ring, and a link to each band's people.
import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { BandDistribution } from '../generated/api.ts'
import { BAND_LOOK, BANDS, bandFill, bandText } from '../ui/bands.ts'
import { Lost } from '../ui/lost.tsx'
import { count, sayPercent } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { BandDonut } from './band-donut.tsx'
import './scores.css'

type Props = {
  bands: BandDistribution | undefined
  lost: boolean
  department: string | undefined
}

export function BandsCard({ bands, lost, department }: Props) {
  const total = bands ? BANDS.reduce((sum, band) => sum + bands[band].count, 0) : 0
  return (
    <Card title="People by band">
      <Stack align="center" gap="md">
        {bands ? (
          <BandDonut bands={bands} total={total} />
        ) : lost ? (
          <Lost />
        ) : (
          <Skeleton circle height={172} />
        )}
        <Stack gap={2} w="100%">
          {BANDS.map(band => (
            <Link
              key={band}
              to="/employees"
              search={{ band, department }}
              className="legend-row"
              style={{ color: bandText(band) }}
            >
              <span aria-hidden="true" className="legend-mark" style={{ color: bandFill(band) }}>
                {BAND_LOOK[band].mark}
              </span>
              <span className="stretch">{BAND_LOOK[band].label}</span>
              <Group gap={8} className="number">
                <b>{bands ? count(bands[band].count) : '–'}</b>
                <Text span size="sm" c="dimmed" w={60} ta="right">
                  {bands && sayPercent(bands[band].percentage, bands[band].count, total)}
                </Text>
              </Group>
            </Link>
          ))}
        </Stack>
      </Stack>
    </Card>
  )
}
