// start: `npm start` to ready: the first time, again, and with a large database.
import { rmSync } from 'node:fs'
import { type Bench, goal } from './bench.ts'
import { companyName, openCompany } from './company.ts'
import { openClient } from './load.ts'
import { startProcess } from './processes.ts'
import { median } from './rounds.ts'
import { stageFolder } from './stage.ts'

export const bench: Bench = {
  name: 'start',
  about: '`npm start` to ready, the second time',
  bound: null,
  unit: 'ms',
  size: { employees: 100_000, events: 1_000_000 },
  async open(size) {
    // Loaded and closed again: the server starts its own PostgreSQL on the folder.
    await (await openCompany(size, { compared: true, copy: false })).stage.close()
    const large = stageFolder(companyName(size, true))
    const empty = stageFolder('start')
    const taken: Record<'first' | 'again' | 'large', number[]> = { first: [], again: [], large: [] }
    const silent: string[] = []
    const start = async (folder: string) => {
      const { ms, ready } = await startOn(folder)
      if (!ready) silent.push(folder)
      return ms
    }
    // Builds the dashboard where that was not done yet.
    await start(empty)
    return {
      ways: {
        ours: async () => {
          rmSync(empty, { recursive: true, force: true })
          taken.first.push(await start(empty))
          taken.large.push(await start(large))
          const again = await start(empty)
          taken.again.push(again)
          return again
        },
      },
      also: async () => ({
        'the first time, ms': median(taken.first),
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

/** Milliseconds from the command to the line that says it is ready; then it is ended again. */
async function startOn(folder: string): Promise<{ ms: number; ready: boolean }> {
  const start = performance.now()
  const env = { BELLWETHER_DATA_DIR: folder, BELLWETHER_LOG_LEVEL: 'error', PORT: '0' }
  const running = await startProcess('npm', ['start', '--silent'], env)
  const ms = performance.now() - start
  const client = await openClient(running.target)
  const asked = client.send('GET /readyz HTTP/1.1\r\nHost: bench\r\n\r\n')
  const ready = await asked.then(
    () => true,
    () => false,
  )
  client.close()
  await running.stop()
  return { ms, ready }
}
