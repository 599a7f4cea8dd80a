// Who would move: those who change band first, by name, with score and band now and then.
import { Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callAdmin } from '../app/call-api.ts'
import type { ReadPage } from '../app/read-pages.ts'
import { useEdges } from '../app/settings.ts'
import { hasTwin } from '../employees/names.ts'
import type { ScoreChange } from '../generated/api.ts'
import { BandBadge } from './band-badge.tsx'
import { type BandEdges, bandAt } from './bands.ts'
import { Change } from './change.tsx'
import { CsvButton, type CsvColumns } from './csv-button.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { count, plural } from './numbers.ts'
import { type SortKeys, useSorted } from './sort-rows.ts'
import { type Named, type Names, namesPath, useAddresses, useNames } from './use-names.ts'

const FIRST = 8
const MOST = 100

const difference = (one: ScoreChange) => one.projected_score - one.current_score

const SORTS: SortKeys<ScoreChange> = {
  now: one => one.current_score,
  later: one => one.projected_score,
  change: difference,
}

type NamedChange = ScoreChange & { person: Named | undefined }

const csvOf = (edges: BandEdges): CsvColumns<NamedChange> => ({
  employee_id: one => one.employee_id,
  email: one => one.person?.email,
  first_name: one => one.person?.first_name,
  last_name: one => one.person?.last_name,
  current_score: one => one.current_score,
  current_band: one => bandAt(one.current_score, edges),
  projected_score: one => one.projected_score,
  projected_band: one => bandAt(one.projected_score, edges),
})

/** A part of the list with who they are: a dry run knows ids alone. */
const readNamed =
  (rows: readonly ScoreChange[]): ReadPage<NamedChange> =>
  async ({ page, per_page }) => {
    const part = rows.slice((page - 1) * per_page, page * per_page)
    const path = namesPath(part.map(one => one.employee_id))
    const { data } = await callAdmin<{ data: Named[] }>('GET', path)
    const people = new Map(data.map(one => [one.id, one]))
    return {
      data: part.map(one => ({ ...one, person: people.get(one.employee_id) })),
      pagination: { total: rows.length, total_pages: Math.ceil(rows.length / per_page) },
    }
  }

function columnsOf(names: Names, addresses: Names, edges: BandEdges): Column<ScoreChange>[] {
  const place = (score: number) => <BandBadge band={bandAt(score, edges)} score={score} />
  return [
    {
      key: 'person',
      title: 'Person',
      render: ({ employee_id }) => (
        <>
          <Link
            to="/employees/$id"
            params={{ id: employee_id }}
            className="plain-link strong"
            title={addresses.get(employee_id)}
          >
            {names.get(employee_id) || addresses.get(employee_id) || '…'}
          </Link>
          {hasTwin(names, employee_id) && <div className="under">{addresses.get(employee_id)}</div>}
        </>
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
  const ids = shown.map(one => one.employee_id)
  const [names, addresses] = [useNames(ids), useAddresses(ids)]
  if (changed.length === 0) return <Text size="sm">No score would differ from what it is.</Text>
  return (
    <div className="moved-people">
      <Group justify="space-between" mb="xs">
        <Text size="sm">
          <b>{plural(across.length, 'person', 'people')}</b> would change band
          {changed.length > across.length &&
            `, ${count(changed.length - across.length)} within theirs`}
        </Text>
        <CsvButton
          size="xs"
          name="people-who-move"
          columns={csvOf(edges)}
          total={changed.length}
          keyOf={one => one.employee_id}
          read={readNamed(sorted.rows ?? [])}
        />
      </Group>
      <DataTable
        label="People who move"
        columns={columnsOf(names, addresses, edges)}
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
