// The last words of a test run: how many tests, how long, and the slowest ten files. With BELLWETHER_TEST_TIMES the time
// of every file and phase is written to that file too, for `npm run test:times`.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule, TestSpecification } from 'vitest/node'
import type {} from '../server/test/close-opened.ts'

export type FileTimes = {
  file: string
  project: string
  tests: number
  /** Tests and hooks, in milliseconds; the phases are part of it. */
  ran: number
  /** Reading and running the imports. */
  imported: number
  phases: Record<string, number>
}

export type RunTimes = { seconds: number; files: FileTimes[] }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SLOWEST = 10

export default class TestSummary implements Reporter {
  #began = performance.now()

  onTestRunStart(_: readonly TestSpecification[]): void {
    this.#began = performance.now()
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const seconds = (performance.now() - this.#began) / 1000
    const files = modules.map(readTimes).sort((a, b) => b.ran - a.ran)
    const tests = modules.flatMap(one => [...one.children.allTests()])
    const count = (state: string) => tests.filter(one => one.result().state === state).length
    const broken = modules.filter(one => one.state() === 'failed' && count('failed') === 0).length
    console.log(`\nslowest ${Math.min(SLOWEST, files.length)} of ${files.length} files:`)
    for (const { file, ran } of files.slice(0, SLOWEST)) {
      console.log(`${(ran / 1000).toFixed(1).padStart(7)} s  ${file}`)
    }
    const retried = tests.filter(one => one.diagnostic()?.flaky)
    for (const one of retried) console.log(`passed at the second try: ${one.fullName}`)
    console.log(`${tests.length} tests in ${seconds.toFixed(0)} s\n`)
    console.log(
      `${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped`,
    )
    const into = process.env.BELLWETHER_TEST_TIMES
    const times: RunTimes = { seconds, files }
    if (into) writeFileSync(into, JSON.stringify(times))
  }
}

function readTimes(module: TestModule): FileTimes {
  const { duration, collectDuration, prepareDuration, setupDuration } = module.diagnostic()
  return {
    file: relative(ROOT, module.moduleId),
    project: module.project.name,
    tests: [...module.children.allTests()].length,
    ran: duration,
    imported: collectDuration + prepareDuration + setupDuration,
    phases: module.meta().phases ?? {},
  }
}
