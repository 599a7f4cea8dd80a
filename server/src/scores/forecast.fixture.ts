// What the record says happened, in the words of a forecast.
import type { Service, Tenant } from '../../test/service.ts'
import { readRecord } from './scores.fixture.ts'

/** The changes of score and band recorded after a version, as a forecast shows them. */
export async function recordedChanges(
  service: Service,
  tenant: Tenant,
  id: string,
  version: number,
) {
  const { byEmployee } = await readRecord(service, tenant)
  const rows = byEmployee.get(id)!
  return rows.flatMap((row, i) => {
    const before = rows[i - 1]
    if (row.version <= version || !before) return []
    if (row.score === before.score && row.band === before.band) return []
    return [
      {
        at: row.at.toISOString(),
        reason: row.reason === 'decay' ? 'decay' : 'clean_streak',
        previous_score: before.score,
        score: row.score,
        previous_band: before.band,
        band: row.band,
      },
    ]
  })
}

/** The number of everyone's last row. */
export async function lastVersions(service: Service, tenant: Tenant) {
  const { byEmployee } = await readRecord(service, tenant)
  return new Map([...byEmployee].map(([id, rows]) => [id, rows.at(-1)!.version]))
}
