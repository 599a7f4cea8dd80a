// Whoever becomes active again is brought to the settings in force: at once, or by a job where that would take long.
import type { Recalculate } from '../employees/change-employee.ts'
import { queueSettingsJob } from './queue-settings-job.ts'
import { recalculateStandings } from './recalculate-standings.ts'
import { countLogs } from './replays.queries.ts'
import { HEAVY_EVENTS } from './run-pieces.ts'

/** Until the job has come by, their score follows the settings they had: each row says which. */
export const recalculateReturned: Recalculate = async (
  tx,
  tenant_id,
  standings,
  basis,
  now,
  actor,
) => {
  const ids = standings.map(standing => standing.employee_id)
  const logs = await countLogs(tx, tenant_id, ids, HEAVY_EVENTS + 1)
  const events = [...logs.values()].reduce((sum, n) => sum + n, 0)
  if (events <= HEAVY_EVENTS) {
    return recalculateStandings(tx, tenant_id, standings, basis, now, actor)
  }
  return queueSettingsJob(tx, tenant_id, actor, now)
}
