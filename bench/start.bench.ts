// start: `npm start` to ready: the first time, again, and with a large database.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, goal } from './bench.ts'
import { companyName, openCompany } from './company.ts'
import { openClient } from './load.ts'
import { startProcess } from './processes.ts'
import { median } from './rounds.ts'
import { stageFolder } from './stage.ts'

export const bench: Bench = {
  name: 'start',
  about: '`npm start` to ready, the second time',
  bound:
    'npm, which takes up to half of it, and loading the code while PostgreSQL starts. A shared machine that was slow at ' +
    'that moment took 1,413 ms, 1,505 ms with the large database and 3,950 ms the first time',
  unit: 'ms',
  size: { employees: 100_000, events: 1_000_000 },
  async open(size) {
    // Loaded and closed again: the server starts its own PostgreSQL on the folder.
    await (await openCompany(size, { compared: true, copy: false })).stage.close()
    const large = stageFolder(companyName(size, true))
    const empty = stageFolder('start')
    const taken: Record<'first' | 'again' | 'large', number[]> = { first: [], again: [], large: [] }
    const told: number[] = []
    const silent: string[] = []
    const start = async (folder: string) => {
      const { ms, ready, told_ms } = await startOn(folder)
      if (!ready) silent.push(folder)
      return { ms, told_ms }
    }
    // Builds the dashboard where that was not done yet.
    await start(empty)
    return {
      ways: {
        ours: async () => {
          rmSync(empty, { recursive: true, force: true })
          const first = await start(empty)
          taken.first.push(first.ms)
          told.push(first.told_ms)
          taken.large.push((await start(large)).ms)
          const again = await start(empty)
          taken.again.push(again.ms)
          return again.ms
        },
      },
      also: async () => ({
        'the first time, ms': median(taken.first),
        'the first time, until its demo company is complete, ms': median(told),
        'with the large database, ms': median(taken.large),
      }),
      checks: async () => [
        { name: 'every time /readyz answered 200 at once', ok: silent.length === 0 },
      ],
      goals: ({ ours = Infinity }, also) => {
        const [first, full] = [also['the first time, ms']!, also['with the large database, ms']!]
        return [
          goal('the first time in at most 4 s', first <= 4000, first),
          goal('again in at most 1.5 s', ours <= 1500, ours),
          goal('with the large database in at most 1.5 s', full <= 1500, full),
          goal(
            'independent of the data (at most 1.3 × the small one)',
            full / ours <= 1.3,
            full / ours,
          ),
        ]
      },
      close: async () => {},
    }
  },
}

/**
 * Milliseconds from the command to the line that says it is ready, and to the first answer about the demo company,
 * where there is one: the first time it is still being made. Then it is ended again.
 */
async function startOn(folder: string) {
  const start = performance.now()
  const env = { BELLWETHER_DATA_DIR: folder, BELLWETHER_LOG_LEVEL: 'error', PORT: '0' }
  const running = await startProcess('npm', ['start', '--silent'], env)
  const ms = performance.now() - start
  const client = await openClient(running.target)
  const ask = (path: string, more = '') =>
    client.send(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${more}\r\n`).then(
      () => true,
      () => false,
    )
  const ready = await ask('/readyz')
  const key = readDemoKey(folder)
  if (key) await ask('/v1/scores/summary', `Authorization: Bearer ${key}\r\n`)
  const told_ms = performance.now() - start
  client.close()
  await running.stop()
  return { ms, ready, told_ms }
}

function readDemoKey(folder: string): string | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')).key
  } catch {
    return null
  }
}
