// The log tells what went wrong without telling whom it was about.
import pino from 'pino'
import { expect, test } from 'vitest'
import { logOptions } from './log-options.ts'

test('an error that quotes a row or an address is logged without it', () => {
  const lines: string[] = []
  const log = pino(logOptions('info'), { write: line => void lines.push(line) })
  const error = Object.assign(new Error('duplicate key value violates unique constraint'), {
    code: '23505',
    table_name: 'employees',
    detail: 'Key (tenant_id, email_key)=(ten_1, ada@example.com) already exists.',
    parameters: ['ada@example.com'],
    query: 'INSERT …',
    rejected: ['ada@example.com'],
    response: '550 ada@example.com unknown',
  })
  log.error({ err: error, employee_id: 'emp_1' }, 'request failed')
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain('ada@')
  const entry = JSON.parse(lines[0]!)
  expect(entry).toMatchObject({ employee_id: 'emp_1', err: { code: '23505', type: 'Error' } })
  expect(entry.err.stack).toContain('log-options.test.ts')
})

const HELD_BACK: readonly [string, string][] = [
  ['an address alone', 'ada.moss@example.com'],
  ['an address', 'nobody called ada.moss+x@mail.example.com is known'],
  ['an address in a path', 'GET /v1/employees/by-email/ada.moss@example.com'],
  ['one that is percent-encoded', 'GET /v1/employees/by-email/ada.moss%40example.com?x=1'],
  ['an address in other letters', 'nobody called zoë.ada.moss@exämple.com is known'],
  ['a domain in other letters', 'nobody called ada.moss@пример.рф is known'],
  ['an address at a host of one word', 'log in as ada.moss@intranet to accept this invitation'],
  ['the same in a path', 'GET /v1/employees/by-email/ada.moss%40intranet?x=1'],
  ['an address with other signs', 'nobody called ada!moss@mail_1.example.com is known'],
  ['a quoted one', 'nobody called "ada.moss"@example.com is known'],
  ['a quoted one with a blank', 'nobody called "ada moss"@example.com is known'],
  ['the same percent-encoded', 'GET /v1/employees/by-email/%22ada%20ada.moss%22%40example.com'],
  ['one at an address of the network', 'nobody called ada.moss@[10.0.0.1] is known'],
  ['one of IPv6', 'nobody called ada.moss@[IPv6:2001:db8::1] is known'],
  ['the same in a path that is encoded', 'GET /v1/employees/by-email/ada.moss%40%5B10.0.0.1%5D'],
  ['one of every sign that needs no quotes', 'nobody called ada&moss`{x}@example.com is known'],
  ['an API key', `bw_live_abc123_${'Ada.moss'.replace('.', '')}${'x'.repeat(45)}`],
  ['one after an escape in a path', `GET /v1/me?x=%20bw_live_abc123_adamoss${'x'.repeat(45)}`],
  ['an access token', `bw_at_abc123_adamoss${'x'.repeat(36)}`],
  ['a refresh token', `bw_rt_abc123_adamoss${'x'.repeat(36)}`],
  ['an authorization code', `bw_ac_abc123_adamoss${'x'.repeat(36)}`],
  ['the secret of an app', `bw_cs_adamoss${'x'.repeat(36)}`],
  ['the cookie of a browser', `__Host-bw_browser=v1.adamoss${'x'.repeat(60)}; other=1`],
  ['the cookie of a session', `__Host-bw_session=adamoss${'x'.repeat(36)}; other=1`],
  ['a bearer', 'authorization: Bearer ada.moss-token.value'],
  ['a signing secret', 'whsec_ada+moss/c2VjcmV0c2VjcmV0'],
  ['a link of an invitation', 'GET /invitation?token=ada.mossabcdefghijklmnop'],
  ['the password of the database', 'postgres://app:ada.moss@db.internal:5432/x'],
  ['one with signs in it', 'postgres://app:ada!moss&3@db.internal:5432/x'],
  ['one that holds an @', 'postgres://app:ada@moss!3@db.internal:5432/x'],
  ['the password of the mail server', 'smtp://app%40example.com:ada$moss$1@mail.example.com'],
]

test.each(HELD_BACK)('%s is not written, wherever it stands', (_name, text) => {
  const lines: string[] = []
  const log = pino(logOptions('info'), { write: line => void lines.push(line) })
  log.info({ url: text, err: new Error(`failed: ${text}`) }, text)
  log.child({ path: text }).warn(text)
  log.info({ url: `\n${text}` }, `first line\r\n\t${text}\u001b${text}\\n${text}`)
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    expect(line).not.toMatch(/ada\W?moss|10\.0\.0\.1|2001:db8|\bada&/i)
    expect(line).toMatch(/\[(?:email|secret)\]/)
    expect(() => JSON.parse(line)).not.toThrow()
  }
})

test('a line stays one line of JSON whatever it is given, and formats nothing', () => {
  const lines: string[] = []
  const log = pino(logOptions('info'), { write: line => void lines.push(line) })
  const hostile = 'x\r\n{"level":60}\u001b[31m \u2028 %s %d %j "}'
  log.info({ department: hostile }, 'text %s', hostile)
  log.info(hostile)
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(line.match(/\n/g)).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({ department: hostile, level: 30 })
  expect(JSON.parse(lines[1]!).msg).toBe(hostile)
})
