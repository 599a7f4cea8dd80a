// How tests run. `npm test` takes what is quick: all projects on one real PostgreSQL, then the main journeys in a real
// browser. `npm run test:deep` takes the files named *.deep.test.ts, the faults and all other journeys.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Patience for a busy machine; nothing waits for it when all is well.
const PATIENCE = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
}

// What waits for processes, timers and browsers may meet a machine that stands still: such a test is tried once more, and
// the summary names it.
const LONG_PATIENCE = {
  retry: 1,
  testTimeout: 480_000,
  hookTimeout: 480_000,
  expect: { poll: { timeout: 90_000 } },
}

// Programs that tests start keep their stripped types and compiled code, as bellwether.js does: half the time to start.
// What is kept is used for the very same text only, so a planted bug is never taken over.
const KEPT = fileURLToPath(new URL('node_modules/.cache/bellwether-tests', import.meta.url))
const env = { NODE_COMPILE_CACHE: KEPT }

const DEEP = '**/*.deep.test.ts'

// The files of a worker share its modules, which hold nothing of a tenant but by its id: a tenth less time.
const ON_POSTGRES = {
  globalSetup: ['server/test/start-postgres.ts'],
  setupFiles: ['server/test/close-opened.ts'],
  isolate: false,
}

// A browser beside them fills the cores: more workers would wait for each other. They come last, as a group of their own.
const JOURNEYS = {
  globalSetup: ['server/test/start-postgres.ts', 'e2e/support/start-browser.ts'],
  setupFiles: ['server/test/close-opened.ts', 'e2e/support/close-pages.ts'],
  isolate: false,
  maxWorkers: 2,
  sequence: { groupOrder: 1 },
}

/** What takes minutes begins first, or the others would be over before it. */
const LONGEST = ['fuzz/fuzz.deep', 'faults/caught', 'src/simulation.deep', 'commands/program.deep']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) =>
      LONGEST.some(name => moduleId.includes(name)) ? 0 : 1
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}

const project = (name: string, include: string[], more: object) => ({
  test: { name, include, exclude: ['**/node_modules/**', DEEP], ...PATIENCE, ...more },
})

export default defineConfig({
  test: {
    // One more than the cores of a small machine: much of what a file does is to wait, for a process, a line, a timer.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './tools/test-summary.ts'],
    coverage: {
      include: ['scoring/**/*.ts'],
      thresholds: { branches: 100 },
      reporter: ['text-summary'],
    },
    projects: [
      project('scoring', ['scoring/**/*.test.ts'], {}),
      project('tools', ['tools/**/*.test.ts'], { env }),
      project('dashboard', ['dashboard/**/*.test.ts'], {}),
      project('server', ['server/**/*.test.ts', 'fuzz/**/*.test.ts', 'bench/**/*.test.ts'], {
        ...ON_POSTGRES,
        env,
      }),
      project('e2e', ['e2e/main/*.test.ts'], {
        ...JOURNEYS,
        testTimeout: 60_000,
        hookTimeout: 60_000,
        expect: { poll: { timeout: 15_000 } },
        env: { PATIENCE_MS: '15000' },
      }),
      project('deep', [DEEP], {
        ...ON_POSTGRES,
        ...LONG_PATIENCE,
        exclude: ['**/node_modules/**'],
        env: { ...env, BELLWETHER_TEST_DEPTH: 'deep' },
      }),
      project('faults', ['faults/**/*.test.ts'], { ...LONG_PATIENCE, env }),
      project('e2e-deep', ['e2e/deep/*.test.ts'], {
        ...JOURNEYS,
        ...LONG_PATIENCE,
        env: { PATIENCE_MS: '120000' },
      }),
    ],
  },
})
