// The views of the present, each from one look at the kept counts: what they say agrees with every list.
import type { Band } from '../../../scoring/settings.ts'
import type { Tx } from '../platform/database.ts'
import { notFound } from '../platform/errors.ts'
import {
  countScores,
  type DepartmentBand,
  knowsDepartment,
  listLargestDepartments,
} from './counts.queries.ts'
import {
  averageOf,
  type BandDistribution,
  distributeBands,
  emptyHistogram,
  fillBuckets,
  type Histogram,
} from './histogram.ts'

type Cell = { band: Band; score: number; people: number }

/** A histogram and the people of each band. */
export type Present = { counts: Histogram; bands: Map<Band, number> }

export function addCells(cells: readonly Cell[]): Present {
  const present: Present = { counts: emptyHistogram(), bands: new Map() }
  for (const { band, score, people } of cells) {
    present.counts[score]! += people
    present.bands.set(band, (present.bands.get(band) ?? 0) + people)
  }
  return present
}

export type DepartmentView = {
  department: string
  average_score: number
  employee_count: number
  band_distribution: BandDistribution
}

const MOST_DEPARTMENTS = 1000

/** Departments with active people, by name; of too many the largest. */
export async function readDepartments(
  tx: Tx,
  tenant_id: string,
): Promise<{ data: DepartmentView[]; truncated?: true }> {
  const rows = await listLargestDepartments(tx, tenant_id, MOST_DEPARTMENTS + 1)
  const shown = rows.filter(row => row.place <= MOST_DEPARTMENTS)
  const byName = Map.groupBy(shown, row => row.department)
  const data = [...byName.keys()].sort().map(name => viewDepartment(name, byName.get(name)!))
  return shown.length < rows.length ? { data, truncated: true } : { data }
}

function viewDepartment(department: string, rows: readonly DepartmentBand[]): DepartmentView {
  const tally = { people: 0, points: 0 }
  for (const { people, points } of rows) {
    tally.people += people
    tally.points += points
  }
  return {
    department,
    average_score: averageOf(tally),
    employee_count: tally.people,
    band_distribution: distributeBands(new Map(rows.map(row => [row.band, row.people]))),
  }
}

export async function readDistribution(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  bucket_size: number,
) {
  if (department !== null && !(await knowsDepartment(tx, tenant_id, department))) {
    throw notFound('department')
  }
  const { counts } = addCells(await countScores(tx, tenant_id, department))
  return { buckets: fillBuckets(counts, bucket_size) }
}
