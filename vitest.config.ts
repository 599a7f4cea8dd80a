// How tests run: the pure ones alone, those of the server on one real PostgreSQL, journeys in a real browser too.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Patience for a busy machine; nothing waits for it when all is well.
const PATIENCE = {
  testTimeout: 480_000,
  hookTimeout: 480_000,
  expect: { poll: { timeout: 90_000 } },
}

// Programs that tests start keep their stripped types and compiled code, as bellwether.js does: half the time to start.
// What is kept is used for the very same text only, so a planted bug is never taken over.
const KEPT = fileURLToPath(new URL('node_modules/.cache/bellwether-tests', import.meta.url))
const env = { NODE_COMPILE_CACHE: KEPT }

// A browser beside them fills the cores: more workers would wait for each other. They come last, as a group of their own.
const JOURNEYS = {
  globalSetup: ['server/test/start-postgres.ts', 'e2e/support/start-browser.ts'],
  setupFiles: ['server/test/close-opened.ts', 'e2e/support/close-pages.ts'],
  isolate: false,
  maxWorkers: 2,
  sequence: { groupOrder: 1 },
}

export default defineConfig({
  test: {
    // One more than the cores of a small machine: much of what a file does is to wait, for a process, a line, a timer.
    maxWorkers: 3,
    coverage: {
      include: ['scoring/**/*.ts'],
      thresholds: { branches: 100 },
      reporter: ['text-summary'],
    },
    projects: [
      { test: { name: 'scoring', include: ['scoring/**/*.test.ts'], ...PATIENCE } },
      { test: { name: 'tools', include: ['tools/**/*.test.ts'], env, ...PATIENCE } },
      { test: { name: 'faults', include: ['faults/**/*.test.ts'], env, ...PATIENCE } },
      { test: { name: 'dashboard', include: ['dashboard/**/*.test.ts'], ...PATIENCE } },
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts', 'fuzz/**/*.test.ts', 'bench/**/*.test.ts'],
          globalSetup: ['server/test/start-postgres.ts'],
          setupFiles: ['server/test/close-opened.ts'],
          // The files of a worker share its modules, which hold nothing of a tenant but by its id: a tenth less time.
          isolate: false,
          env,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/main/**/*.test.ts'],
          ...JOURNEYS,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
          env: { PATIENCE_MS: '15000' },
        },
      },
      {
        test: {
          name: 'e2e-deep',
          include: ['e2e/deep/**/*.test.ts'],
          ...JOURNEYS,
          ...PATIENCE,
          env: { PATIENCE_MS: '120000' },
        },
      },
    ],
  },
})
