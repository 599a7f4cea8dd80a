// npm run test:changed [-- REVISION]: types and lint of what changed, and the tests near to it, in seconds.
import { execFileSync, spawnSync } from 'node:child_process'
import { chooseTests } from './changed-tests.ts'
import { readHouse } from './house-files.ts'

const base = process.argv[2] ?? 'HEAD'
const ask = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
const files = readHouse()
const changed = [
  ...ask('diff', '--name-only', '--diff-filter=d', base, '--'),
  ...ask('ls-files', '--others', '--exclude-standard'),
]
const inHouse = changed.filter(file => files.has(file))
const { tests, left } = chooseTests(files, inHouse)
/** Whose types a change of this room may break; all that is not named here is checked with the server. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  scoring: ['scoring', 'server', 'dashboard'],
  dashboard: ['dashboard'],
  e2e: ['e2e'],
}
const rooms = changed.filter(file => /\.tsx?$/.test(file)).map(file => file.split('/')[0]!)
const types = new Set(rooms.flatMap(room => TYPES[room] ?? ['server']))

const failed = [
  ...[...types].map(project => run('tsc', '-p', project)),
  ...(inHouse.length > 0 ? [run('biome', 'check', '--no-errors-on-unmatched', ...inHouse)] : []),
  ...(tests.length > 0 ? [run('vitest', 'run', ...tests)] : []),
].filter(status => status !== 0)

console.log(
  `${changed.length} files changed, ${tests.length} test files run, ${left} left to npm test and test:deep`,
)
process.exitCode = failed.length > 0 ? 1 : 0

function run(program: string, ...args: string[]): number {
  return spawnSync(program, args, { stdio: 'inherit' }).status ?? 1
}
