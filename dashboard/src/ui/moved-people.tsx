// Who would move: those who change band first, by name, with score and band now and then.
import { Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useEdges } from '../app/settings.ts'
import type { ScoreChange } from '../generated/api.ts'
import { BandBadge } from './band-badge.tsx'
import { type BandEdges, bandAt } from './bands.ts'
import { Change } from './change.tsx'
import { CsvButton, type CsvColumns } from './csv-button.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { count, plural } from './numbers.ts'
import { type SortKeys, useSorted } from './sort-rows.ts'
import { useNames } from './use-names.ts'

const FIRST = 8
const MOST = 100

const difference = (one: ScoreChange) => one.projected_score - one.current_score

const SORTS: SortKeys<ScoreChange> = {
  now: one => one.current_score,
  later: one => one.projected_score,
  change: difference,
}

const csvOf = (edges: BandEdges): CsvColumns<ScoreChange> => ({
  employee_id: one => one.employee_id,
  current_score: one => one.current_score,
  current_band: one => bandAt(one.current_score, edges),
  projected_score: one => one.projected_score,
  projected_band: one => bandAt(one.projected_score, edges),
})

function columnsOf(names: ReadonlyMap<string, string>, edges: BandEdges): Column<ScoreChange>[] {
  const place = (score: number) => <BandBadge band={bandAt(score, edges)} score={score} />
  return [
    {
      key: 'person',
      title: 'Person',
      render: ({ employee_id }) => (
        <Link to="/employees/$id" params={{ id: employee_id }} className="plain-link strong">
          {names.get(employee_id) || '…'}
        </Link>
      ),
    },
    { key: 'now', title: 'Now', sort: 'now', render: one => place(one.current_score) },
    { key: 'then', title: 'Then', sort: 'later', render: one => place(one.projected_score) },
    {
      key: 'change',
      title: 'Change',
      sort: 'change',
      align: 'right',
      wide: true,
      render: one => <Change value={difference(one)} />,
    },
  ]
}

export function MovedPeople({ changes }: { changes: readonly ScoreChange[] }) {
  const edges = useEdges()
  const [all, setAll] = useState(false)
  const moves = (one: ScoreChange) =>
    bandAt(one.current_score, edges) !== bandAt(one.projected_score, edges)
  const changed = changes.filter(one => difference(one) !== 0)
  const across = changed.filter(moves)
  const sorted = useSorted([...across, ...changed.filter(one => !moves(one))], SORTS)
  const shown = sorted.rows?.slice(0, all ? MOST : FIRST) ?? []
  const names = useNames(shown.map(one => one.employee_id))
  if (changed.length === 0) return <Text size="sm">No score would differ from what it is.</Text>
  return (
    <div className="moved-people">
      <Group justify="space-between" mb="xs">
        <Text size="sm">
          <b>{plural(across.length, 'person', 'people')}</b> would change band
          {changed.length > across.length &&
            `, ${count(changed.length - across.length)} within theirs`}
        </Text>
        <CsvButton size="xs" name="people-who-move" rows={sorted.rows} columns={csvOf(edges)} />
      </Group>
      <DataTable
        label="People who move"
        columns={columnsOf(names, edges)}
        {...sorted}
        rows={shown}
        rowKey={one => one.employee_id}
      />
      {!all && changed.length > FIRST && (
        <Button size="compact-sm" variant="subtle" mt="xs" onClick={() => setAll(true)}>
          Show {Math.min(MOST, changed.length) - FIRST} more
        </Button>
      )}
    </div>
  )
}
