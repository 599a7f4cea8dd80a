// The recalculation job and its preview: active employees of the tenant or of one department, piece by piece.
import { cellOf, type Standing } from '../employees/standing.ts'
import type { JobWork } from './job-work.ts'
import type { JobRow } from './jobs.queries.ts'
import { emptyPreview, extendPreview, type Preview } from './preview.ts'
import { recalculateStandings } from './recalculate-standings.ts'
import { countActive, selectActive } from './replays.queries.ts'
import { reviseStandings } from './revise-standings.ts'
import { place } from './revision.ts'

export type RecalculationScope = { department: string | null }

function departmentOf({ scope }: JobRow): string | null {
  return (scope as RecalculationScope).department
}

/** Where somebody is counts when their piece is taken: those who have left or were erased by then are left out. */
function inScope(job: JobRow, standings: ReadonlyMap<string, Standing>): Standing[] {
  const department = departmentOf(job)
  return [...standings.values()].filter(
    standing =>
      standing.status === 'active' &&
      !standing.erased &&
      (department === null || standing.department === department),
  )
}

const scoped: Pick<JobWork, 'count' | 'select'> = {
  count: (tx, tenant_id, job) => countActive(tx, tenant_id, departmentOf(job)),
  select: (tx, tenant_id, job, limit, now) =>
    selectActive(tx, tenant_id, departmentOf(job), job.cursor, limit, now),
}

export const recalculationWork: JobWork = {
  ...scoped,
  run: (tx, tenant_id, job, standings, basis, now, turn) => {
    const people = inScope(job, standings)
    const along = { turn, redone: true }
    return recalculateStandings(tx, tenant_id, people, basis, now, job.requested_by, along)
  },
}

export const previewWork: JobWork = {
  ...scoped,
  run: async (tx, tenant_id, job, standings, basis, now) => {
    const people = inScope(job, standings)
    const { revised, events } = await reviseStandings(
      tx,
      tenant_id,
      people,
      basis,
      now,
      async () => {},
    )
    const moves = revised.map(({ standing, revision }) => ({
      employee_id: standing.employee_id,
      before: cellOf(standing),
      after: place(standing, revision, basis),
    }))
    const changed = moves.filter(({ before, after }) => before.score !== after.score).length
    const extend = (result: unknown) =>
      extendPreview((result as Preview | null) ?? emptyPreview(), moves)
    return { events, changed, extend }
  },
}
