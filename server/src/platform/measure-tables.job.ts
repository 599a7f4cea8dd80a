// A plan made while a table was small reads all of it once it is large, until it has statistics of its new size. The
// database takes them within a minute; after a first import of many people that is a minute of slow events.
import type { Job } from './jobs.ts'
import { listGrown } from './measure-tables.queries.ts'

export const measureTablesJob: Job = {
  name: 'measure-tables',
  every_ms: 2_000,
  async run({ db }) {
    for (const table of await db.acrossTenants(listGrown)) await db.measure(table)
    return false
  },
}
