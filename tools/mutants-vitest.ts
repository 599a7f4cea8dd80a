// How the tests of pure files run under mutation: one project, no database, the same random inputs each time.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: [
      'scoring/*.test.ts',
      'server/src/access/token-bucket.test.ts',
      'server/src/accounts/{password-policy,throttle}.test.ts',
      'server/src/scores/{histogram,fold-days,intervals}.test.ts',
      'server/src/webhooks/retry-schedule.test.ts',
    ],
    setupFiles: ['tools/mutants-setup.ts'],
  },
})
