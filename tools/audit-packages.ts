// `npm run audit:deps`: known weaknesses of the packages and whether one is past its deadline; no network is no failure.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findOverdue, noteSeen, readAdvisories, type Seen } from './advisories.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SEEN = new URL('../docs/security/advisories.json', import.meta.url)
const today = new Date().toISOString().slice(0, 10)

const options = { cwd: ROOT, encoding: 'utf8', timeout: 60_000 } as const
const { stdout } = spawnSync('npm', ['audit', '--json', '--omit=dev'], options)
const advisories = readAdvisories(stdout ?? '')
if (advisories === null) {
  console.log('no advisories could be read (no network?); nothing is judged')
} else {
  const known = existsSync(SEEN) ? (JSON.parse(readFileSync(SEEN, 'utf8')) as Seen) : {}
  const seen = noteSeen(advisories, known, today)
  writeFileSync(SEEN, `${JSON.stringify(seen, null, 2)}\n`)
  const overdue = findOverdue(advisories, seen, today)
  for (const { name, severity, title } of advisories) console.log(`${severity}: ${name}: ${title}`)
  console.log(`${advisories.length} known, ${overdue.length} past their deadline`)
  process.exitCode = overdue.length > 0 ? 1 : 0
}
