// Departments side by side: average, and how their people spread over the bands; the lowest first.
import { Button, Skeleton, Stack, Text, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useEdges } from '../app/settings.ts'
import type { DepartmentScores } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { BAND_LOOK, BANDS, bandAt, bandFill } from '../ui/bands.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Lost } from '../ui/lost.tsx'
import { count, departmentName, plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import './scores.css'

type Department = DepartmentScores['data'][number]
const SMALL = 5
/** More of them would push the rest of the page out of sight. */
const SHOWN = 12

type Props = {
  departments: Department[] | undefined
  /** There are more than these. */
  truncated: boolean
  lost: boolean
}

export function DepartmentsCard({ departments, truncated, lost }: Props) {
  const [all, setAll] = useState(false)
  const sorted = departments?.toSorted((a, b) => a.average_score - b.average_score)
  return (
    <Card title="Departments" about="Lowest average first; bars show the mix of bands">
      {!sorted && lost ? (
        <Lost />
      ) : !sorted ? (
        <Stack gap="sm">
          {Array.from({ length: 6 }, (_, i) => (
            <Skeleton key={i} h={34} />
          ))}
        </Stack>
      ) : sorted.length === 0 ? (
        <EmptyState bare icon="employees" title="No departments yet">
          They appear with the first people.
        </EmptyState>
      ) : (
        <>
          <Stack gap={4} component="ul" className="plain-list department-list">
            {sorted.slice(0, all ? undefined : SHOWN).map(one => (
              <DepartmentRow key={one.department} department={one} />
            ))}
          </Stack>
          {truncated && (
            <Text size="sm" c="dimmed" mt="xs">
              These are the {count(sorted.length)} largest; there are more.
            </Text>
          )}
          {sorted.length > SHOWN && (
            <Button size="compact-sm" variant="subtle" mt="xs" onClick={() => setAll(!all)}>
              {all ? `Show the lowest ${SHOWN}` : `Show all ${count(sorted.length)}`}
            </Button>
          )}
        </>
      )}
    </Card>
  )
}

function DepartmentRow({ department }: { department: Department }) {
  const edges = useEdges()
  const { department: name, average_score, employee_count, band_distribution } = department
  const mix = BANDS.filter(band => band_distribution[band].count > 0)
  const words = mix.map(
    band => `${count(band_distribution[band].count)} ${BAND_LOOK[band].label.toLowerCase()}`,
  )
  return (
    <li>
      <Link
        to="/employees"
        search={{ department: name, sort: 'score', order: 'asc' }}
        className="department-row"
      >
        <span className="department-name">
          <span className="three-lines" title={departmentName(name)}>
            {departmentName(name)}
          </span>
          <Text span size="xs" c="dimmed" className="number">
            {plural(employee_count, 'person', 'people')}
            {employee_count < SMALL && ' · small group'}
          </Text>
        </span>
        <Tooltip label={words.join(', ')}>
          <span className="mix-bar" role="img" aria-label={words.join(', ')}>
            {mix.map(band => (
              <span
                key={band}
                style={{ flexGrow: band_distribution[band].count, background: bandFill(band) }}
              />
            ))}
          </span>
        </Tooltip>
        <BandBadge
          band={bandAt(Math.floor(average_score + 0.5), edges)}
          score={average_score.toFixed(1)}
        />
      </Link>
    </li>
  )
}
