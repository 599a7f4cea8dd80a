// What a kind of job does with one piece of its employees; the runner does the rest. A shape only.
import type { Standing } from '../employees/standing.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import type { JobRow } from './jobs.queries.ts'
import type { Selected } from './replays.queries.ts'

/** What a piece came to, and what it makes of the job's result so far. */
export type Piece = { events: number; changed: number; extend?(result: unknown): unknown }

export type JobWork = {
  /** Employees in all. */
  count(tx: Tx, tenant_id: string, job: JobRow): Promise<number>
  /** The next employees after the job's cursor, in the order of their ids. */
  select(
    tx: Tx,
    tenant_id: string,
    job: JobRow,
    limit: number,
    now: Instant,
  ): Promise<readonly Selected[]>
  /**
   * Invariant: the standings are locked and up to now; whoever no longer belongs to the job is left out here. Pieces
   * overlap: nothing that others may wait for is written before `turn`, which waits until the piece before has been
   * committed.
   */
  run(
    tx: Tx,
    tenant_id: string,
    job: JobRow,
    standings: ReadonlyMap<string, Standing>,
    basis: ScoringBasis,
    now: Instant,
    turn: () => Promise<void>,
  ): Promise<Piece>
}
