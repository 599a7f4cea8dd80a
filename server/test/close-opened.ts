// Comes before every test file of the server and every journey: its hook is the last of the file.
import { afterAll } from 'vitest'
import { closeOpened } from './after-file.ts'
import { type Phases, takePhases, timed } from './phases.ts'

declare module 'vitest' {
  interface TaskMeta {
    phases?: Phases
  }
}

// biome-ignore lint/correctness/noEmptyPattern: the pattern tells vitest which fixtures are asked for: none.
afterAll(async ({}, suite) => {
  await timed('close', closeOpened)
  suite.file.meta.phases = takePhases()
})
