// Who would move: those who change band first, by name, with score and band now and then.
import { Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useEdges } from '../app/settings.ts'
import type { ScoreChange } from '../generated/api.ts'
import { BandBadge } from './band-badge.tsx'
import { bandAt } from './bands.ts'
import { Change } from './change.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { plural } from './numbers.ts'
import { useAdmin } from './use-admin.ts'

const FIRST = 8
const MOST = 100

type Named = { id: string; email: string; first_name: string; last_name: string }

function useNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const path = `/admin/employees/names?ids=${ids.toSorted().join(',')}`
  const names = useAdmin<{ data: Named[] }>(path, {
    enabled: ids.length > 0,
    placeholderData: before => before,
  })
  return new Map(
    (names.data?.data ?? []).map(one => [one.id, `${one.first_name} ${one.last_name}`.trim()]),
  )
}

type Props = { changes: readonly ScoreChange[]; what?: string }

export function MovedPeople({ changes, what = 'would change' }: Props) {
  const edges = useEdges()
  const [all, setAll] = useState(false)
  const moves = (one: ScoreChange) =>
    bandAt(one.current_score, edges) !== bandAt(one.projected_score, edges)
  const changed = changes.filter(one => one.current_score !== one.projected_score)
  const across = changed.filter(moves)
  const listed = [...across, ...changed.filter(one => !moves(one))]
  const shown = listed.slice(0, all ? MOST : FIRST)
  const names = useNames(shown.map(one => one.employee_id))
  const place = (score: number) => <BandBadge band={bandAt(score, edges)} score={score} />
  const columns: Column<ScoreChange>[] = [
    {
      key: 'person',
      title: 'Person',
      render: ({ employee_id }) => (
        <Link to="/employees/$id" params={{ id: employee_id }} className="plain-link strong">
          {names.get(employee_id) || '…'}
        </Link>
      ),
    },
    { key: 'now', title: 'Now', render: one => place(one.current_score) },
    { key: 'then', title: 'Then', render: one => place(one.projected_score) },
    {
      key: 'change',
      title: 'Change',
      align: 'right',
      wide: true,
      render: one => <Change value={one.projected_score - one.current_score} />,
    },
  ]
  if (changed.length === 0) return <Text size="sm">No score would differ from what it is.</Text>
  return (
    <div className="moved-people">
      <Text size="sm" mb="xs">
        <b>{plural(across.length, 'person', 'people')}</b> {what} band
        {changed.length > across.length && `, ${changed.length - across.length} within theirs`}
      </Text>
      <DataTable
        label="People who move"
        columns={columns}
        rows={shown}
        rowKey={one => one.employee_id}
      />
      {!all && listed.length > FIRST && (
        <Button size="compact-sm" variant="subtle" mt="xs" onClick={() => setAll(true)}>
          Show {Math.min(MOST, listed.length) - FIRST} more
        </Button>
      )}
    </div>
  )
}
