// SECURITY.md says what the code does: its sections are there, its figures are the code's, its lists are whole.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SESSION } from '../server/src/accounts/open-session.ts'
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../server/src/accounts/password-policy.ts'
import { THROTTLES } from '../server/src/accounts/throttle.ts'
import { readConfig } from '../server/src/config.ts'
import { MOST_LINES } from '../server/src/events/line-places.ts'
import { HOUR, MINUTE } from '../server/src/platform/clock.ts'
import { BATCH_BODY_LIMIT, BODY_LIMIT, PATIENCE } from '../server/src/platform/http.ts'
import { PLANS } from '../server/src/tenants/plans.ts'
import { DELAYS } from '../server/src/webhooks/retry-schedule.ts'
import { DEADLINES } from './advisories.ts'
import { readHouse } from './house-files.ts'
import { listLogMessages, printLogMessages } from './log-messages.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const page = read('../SECURITY.md').replaceAll(/\s+/g, ' ')
const house = readHouse()

test('SECURITY.md has every section the requirements ask for', () => {
  const headings = [...read('../SECURITY.md').matchAll(/^#{2,3} (.+)$/gm)].map(match => match[1])
  expect(headings).toEqual(
    expect.arrayContaining([
      ...['Reporting a vulnerability', 'What is worth protecting', 'Who may want it'],
      ...[
        'Where trust ends',
        'STRIDE',
        'Ways in',
        'Limits and patience',
        'Costly functions',
        'Files',
      ],
      ...['Browsers', 'Cryptography', 'Components to watch', 'What is left to the operator'],
    ]),
  )
  for (const words of [
    'Life of keys',
    'Change of algorithms',
    'Dangerous by nature',
    'on stderr',
  ]) {
    expect(page).toContain(words)
  }
})

test('the figures it gives are those of the code', () => {
  const minutes = (ms: number) => ms / MINUTE
  const said = [
    `${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`,
    `${minutes(SESSION.idle_ms)} minutes idle, ${SESSION.longest_ms / HOUR} hours in all, ${SESSION.most_per_user} of one person`,
    `${minutes(SESSION.fresh_ms)} minutes old at most`,
    `up to ${minutes(THROTTLES.pair.longest_ms)} minutes for the pair`,
    `starter ${PLANS.starter.requests}, ${PLANS.starter.burst}`,
    `professional ${PLANS.professional.requests}, ${PLANS.professional.burst}`,
    `enterprise ${PLANS.enterprise.requests}, ${PLANS.enterprise.burst}`,
    `${BODY_LIMIT / 1024} KiB; ${BATCH_BODY_LIMIT / 1024 / 1024} MiB`,
    `${PATIENCE.headers_ms / 1000} s, ${PATIENCE.request_ms / 1000} s, ${PATIENCE.idle_ms / 1000} s; ${PATIENCE.between_ms / 1000} s between requests`,
    `${readConfig({}).pool} a process`,
    `${DEADLINES.critical * 24} hours when it is critical, ${DEADLINES.high} days when high`,
    `${DEADLINES.moderate} days when moderate, ${DEADLINES.low} days when low`,
    `${MOST_LINES.session} a session, ${MOST_LINES.tenant} a tenant, ${MOST_LINES.in_all} a process`,
    'five attempts at 0, 1 min, 5 min, 30 min, 2 h',
  ]
  expect(said.filter(words => !page.includes(words))).toEqual([])
  expect(DELAYS.map(minutes)).toEqual([0, 1, 5, 30, 120])
  expect(THROTTLES.account.longest_ms).toBe(MINUTE)
})

test('every file that uses cryptography stands in its inventory', () => {
  const using = [...house].filter(
    ([file, text]) =>
      /^server\/src\/(?!.*\.(?:test|fixture)\.ts$)/.test(file) && /from 'node:crypto'/.test(text),
  )
  expect(using.length).toBeGreaterThan(10)
  const missing = using
    .map(([file]) => file.replace('server/src/', ''))
    .filter(file => !page.includes(`\`${file}\``))
  expect(missing).toEqual([])
})

test('every message of the log stands in its list', () => {
  const messages = listLogMessages(house)
  expect(messages.length).toBeGreaterThan(15)
  expect(read('../docs/security/log.md')).toBe(printLogMessages(messages))
})
