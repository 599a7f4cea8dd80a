// How tests run. `npm test` takes all projects but the deep ones: what is quick, on one real PostgreSQL and, for the main
// journeys, in a real browser. `npm run test:deep` takes the files named *.deep.test.ts, the faults and all other journeys.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Patience for a busy machine; nothing waits for it when all is well.
const PATIENCE = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
}

const LONG_PATIENCE = {
  testTimeout: 480_000,
  hookTimeout: 480_000,
  expect: { poll: { timeout: 90_000 } },
}

// Programs that tests start keep their stripped types and compiled code, as bellwether.js does: half the time to start.
// What is kept is used for the very same text only, so a planted bug is never taken over.
const KEPT = fileURLToPath(new URL('node_modules/.cache/bellwether-tests', import.meta.url))
const env = { NODE_COMPILE_CACHE: KEPT }

const DEEP = '**/*.deep.test.ts'
const HOUSES = ['server', 'fuzz', 'bench']

// The files of a worker share its modules, which hold nothing of a tenant but by its id: a tenth less time.
const ON_POSTGRES = {
  globalSetup: ['server/test/start-postgres.ts'],
  setupFiles: ['server/test/close-opened.ts'],
  isolate: false,
  env,
}

const IN_BROWSER = {
  ...ON_POSTGRES,
  globalSetup: ['server/test/start-postgres.ts', 'e2e/start-browser.ts'],
}

export default defineConfig({
  test: {
    // One more than the cores of a small machine: much of what a file does is to wait, for a process, a line, a timer.
    maxWorkers: 3,
    reporters: ['default', './tools/test-summary.ts'],
    coverage: {
      include: ['scoring/**/*.ts'],
      thresholds: { branches: 100 },
      reporter: ['text-summary'],
    },
    projects: [
      { test: { name: 'scoring', include: ['scoring/**/*.test.ts'], ...PATIENCE } },
      {
        test: { name: 'tools', include: ['tools/**/*.test.ts'], exclude: [DEEP], env, ...PATIENCE },
      },
      { test: { name: 'dashboard', include: ['dashboard/**/*.test.ts'], ...PATIENCE } },
      {
        test: {
          name: 'server',
          include: HOUSES.map(house => `${house}/**/*.test.ts`),
          exclude: [DEEP],
          ...ON_POSTGRES,
          ...PATIENCE,
        },
      },
      { test: { name: 'e2e', include: ['e2e/**/*.test.ts'], ...IN_BROWSER, ...LONG_PATIENCE } },
      {
        test: {
          name: 'deep',
          include: [DEEP],
          exclude: ['**/node_modules/**', 'e2e/**'],
          ...ON_POSTGRES,
          ...LONG_PATIENCE,
        },
      },
      { test: { name: 'faults', include: ['faults/**/*.test.ts'], env, ...LONG_PATIENCE } },
    ],
  },
})
