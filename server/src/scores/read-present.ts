// The views of the present, each from one look at the kept counts: what they say agrees with every list.
import type { Band } from '../../../scoring/settings.ts'
import type { Tx } from '../platform/database.ts'
import { notFound } from '../platform/errors.ts'
import { countPresent, countScores, knowsDepartment } from './counts.queries.ts'
import {
  averageOf,
  type BandDistribution,
  distributeBands,
  emptyHistogram,
  fillBuckets,
  type Histogram,
  tallyOf,
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

/** Departments with active people, by name. */
export async function readDepartments(tx: Tx, tenant_id: string): Promise<DepartmentView[]> {
  const cells = await countPresent(tx, tenant_id)
  const byName = Map.groupBy(cells, cell => cell.department)
  const names = [...byName.keys()].sort()
  return names.map(department => {
    const { counts, bands } = addCells(byName.get(department)!)
    const tally = tallyOf(counts)
    return {
      department,
      average_score: averageOf(tally),
      employee_count: tally.people,
      band_distribution: distributeBands(bands),
    }
  })
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
