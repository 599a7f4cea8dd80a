// npm run test:times: runs npm test and npm run test:deep, and writes what runs where and how long into docs/testing.md.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunTimes } from './test-summary.ts'

const PAGE = fileURLToPath(new URL('../docs/testing.md', import.meta.url))
const MARKS = ['<!-- measured -->', '<!-- /measured -->'] as const
const LONG_MS = 5_000

const folder = mkdtempSync(join(tmpdir(), 'bellwether-times-'))
const runs = ['test', 'test:deep'].map(script => ({ script, ...measure(script) }))
rmSync(folder, { recursive: true })

const text = readFileSync(PAGE, 'utf8')
const [before] = text.split(MARKS[0])
const [, after] = text.split(MARKS[1])
if (before === undefined || after === undefined) throw new Error(`no ${MARKS[0]} in ${PAGE}`)
const said = [`Measured on ${cpus().length} cores, Node ${process.version}.`, ...runs.map(sayRun)]
writeFileSync(PAGE, `${before}${MARKS[0]}\n\n${said.join('\n\n')}\n\n${MARKS[1]}${after}`)

type Measured = { wall: number; busy: number; times: RunTimes }

/** How busy the cores were is known of the children alone, and once they have ended. */
function measure(script: string): Measured {
  const into = join(folder, script.replace(':', '-'))
  const began = performance.now()
  const idle = readIdle()
  const { status } = spawnSync('npm', ['run', script], {
    stdio: 'inherit',
    env: { ...process.env, BELLWETHER_TEST_TIMES: into },
  })
  if (status !== 0) throw new Error(`npm run ${script} failed`)
  const wall = (performance.now() - began) / 1000
  const busy = 1 - (readIdle() - idle) / 1000 / (wall * cpus().length)
  return { wall, busy, times: JSON.parse(readFileSync(into, 'utf8')) as RunTimes }
}

function readIdle(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0)
}

function sayRun({ script, wall, busy, times }: Measured & { script: string }): string {
  const projects = Map.groupBy(times.files, file => file.project)
  const sum = (files: RunTimes['files'], of: (file: RunTimes['files'][number]) => number) =>
    (files.reduce((total, file) => total + of(file), 0) / 1000).toFixed(0)
  const phase = (name: string) => (file: RunTimes['files'][number]) => file.phases[name] ?? 0
  const rows = [...projects].map(([project, files]) => {
    const tests = files.reduce((total, file) => total + file.tests, 0)
    const cells = [files.length, tests, sum(files, file => file.ran)]
    const phases = ['clone', 'boot', 'close'].map(name => sum(files, phase(name)))
    return `| ${[project, ...cells, sum(files, file => file.imported), ...phases].join(' | ')} |`
  })
  const long = times.files.filter(file => file.ran > LONG_MS)
  return [
    `### npm ${script === 'test' ? 'test' : `run ${script}`}: ${wall.toFixed(0)} s, cores ${(busy * 100).toFixed(0)} % busy`,
    '',
    'Seconds of workers, which run side by side; cloning, booting and closing are part of running.',
    '',
    '| project | files | tests | running | importing | cloning | booting | closing |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `Files over ${LONG_MS / 1000} s:`,
    '',
    ...long.map(file => `- ${(file.ran / 1000).toFixed(1)} s, \`${file.file}\``),
  ].join('\n')
}
