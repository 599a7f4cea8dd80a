// Settings: secrets may come by file, everything wrong is said at once, and what is unset is closed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'bellwether-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const SECRET = 'thirty-two characters or more, from a file'

describe('secrets by file', () => {
  test('are read without the line break at their end', () => {
    const config = readConfig({
      BELLWETHER_SECRET_KEY_FILE: file('key', `${SECRET}\n`),
      DATABASE_URL_FILE: file('url', 'postgres://u:p@127.0.0.1/db\n'),
      BELLWETHER_SMTP_URL_FILE: file('smtp', 'smtps://u:p@mail.example/'),
    })
    expect(config.secret_key).toBe(SECRET)
    expect(config.database_url).toBe('postgres://u:p@127.0.0.1/db')
    expect(config.smtp_url).toBe('smtps://u:p@mail.example/')
  })

  test('are held to the same rules, without telling the secret', () => {
    const short = () => readConfig({ BELLWETHER_SECRET_KEY_FILE: file('short', 'hunter2') })
    expect(short).toThrow('BELLWETHER_SECRET_KEY must have at least 32 characters')
    expect(short).not.toThrow('hunter2')
  })

  test('that are missing, empty or given twice are refused by name, all at once', () => {
    const env = {
      BELLWETHER_SECRET_KEY: SECRET,
      BELLWETHER_SECRET_KEY_FILE: file('twice', SECRET),
      DATABASE_URL_FILE: join(folder, 'nowhere'),
      BELLWETHER_SMTP_URL_FILE: file('empty', '\n'),
    }
    expect(() => readConfig(env)).toThrow(
      'DATABASE_URL_FILE cannot be read: ENOENT; ' +
        'BELLWETHER_SECRET_KEY and BELLWETHER_SECRET_KEY_FILE are both set: keep one; ' +
        'BELLWETHER_SMTP_URL_FILE is empty',
    )
  })
})

test('what is not set is closed: loopback only, no metrics, no proxy believed, no private destination', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    trust_proxy: null,
    webhook_allow: [],
    webhook_deny: [],
    smtp_url: null,
    metrics: null,
    log_level: 'info',
    password_cost: { memory_kib: 19_456, passes: 2 },
  })
  expect(Object.isFrozen(readConfig({}))).toBe(true)
})

describe('a wrong setting is refused in one line that names it', () => {
  const wrong: [name: string, value: string, says: string][] = [
    ['BELLWETHER_TRUST_PROXY', 'true', 'must be addresses or networks'],
    ['BELLWETHER_TRUST_PROXY', '1', 'must be addresses or networks'],
    ['BELLWETHER_TRUST_PROXY', '10.0.0.0/99', 'must be addresses or networks'],
    [
      'BELLWETHER_PUBLIC_URL',
      'score.example',
      'must be a URL that begins with http:// or https://',
    ],
    ['BELLWETHER_PUBLIC_URL', 'https://score.example/base', 'must be like https://score.example'],
    ['BELLWETHER_PUBLIC_URL', 'https://score.example/?a=b', 'must be like https://score.example'],
    ['BELLWETHER_PUBLIC_URL', 'https://u:p@score.example', 'must be like https://score.example'],
    ['DATABASE_URL', 'postgres:///db?host=/run/postgresql', 'must name the host before the path'],
    ['DATABASE_URL', 'postgres://u:p@/db?port=5&host=/run/x', 'must name the host before the path'],
    ['DATABASE_URL', 'postgres://u:50%off@127.0.0.1/db', 'must be percent-encoded'],
    ['DATABASE_URL', 'postgres://u:%ff@127.0.0.1/db', 'must be percent-encoded'],
    ['DATABASE_URL', 'postgres://u:p@%2Frun%zz/db', 'must be percent-encoded'],
    ['DATABASE_URL', 'postgres://u:50%off#1@127.0.0.1/db', 'cannot be read as a URL'],
    ['DATABASE_URL', 'postgres://u@127.0.0.1:99999/db', 'cannot be read as a URL'],
    ['DATABASE_URL', 'postgres://u:p@50%25off/w#rd@127.0.0.1/db', 'has an @ behind its host'],
    ['DATABASE_URL', 'postgres://u:12/50%25off@127.0.0.1/db', 'has an @ behind its host'],
    ['DATABASE_URL', 'postgres://u:12?50%25off@127.0.0.1/db', 'has an @ behind its host'],
    ['BELLWETHER_SMTP_URL', 'smtp://u:p@ss/50%25off@mail.example', 'has an @ behind its host'],
    ['BELLWETHER_SMTP_URL', 'smtps://u:50%off@mail.example', 'must be percent-encoded'],
    ['BELLWETHER_SMTP_URL', 'smtp:mail.example', 'must name a host'],
    ['BELLWETHER_MAIL_FROM', 'Bellwether', 'must be an email address'],
  ]
  test.each(wrong)('%s=%s', (name, value, says) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name} ${says}`)
    expect(() => readConfig({ [name]: value })).not.toThrow(/50%(?:25)?off/)
  })
})

test('the public URL is taken as browsers write it, so that https is seen whatever its letters', () => {
  const config = readConfig({ BELLWETHER_PUBLIC_URL: 'HTTPS://Score.Example:443/' })
  expect(config.public_url).toBe('https://score.example')
})

test('proxies are addresses, networks or the names of ranges, whatever stands between them', () => {
  const config = readConfig({ BELLWETHER_TRUST_PROXY: '10.0.0.0/8, 192.168.1.1 , loopback,::1,' })
  expect(config.trust_proxy).toBe('10.0.0.0/8,192.168.1.1,loopback,::1')
})

test('an address of IPv6 is taken with the brackets of a URL and without', () => {
  const given = { HOST: '[::1]', BELLWETHER_METRICS_HOST: '[::1]', BELLWETHER_METRICS_PORT: '0' }
  expect(readConfig(given)).toMatchObject({ host: '::1', metrics: { host: '::1', port: 0 } })
  expect(readConfig({ HOST: '::1' }).host).toBe('::1')
})

test.each(['postgres://u:p%40ss%2Fw%23rd@db.internal/db', 'postgres://u:p@ss@db.internal/db'])(
  'the password of %s is no fault',
  database_url => {
    expect(readConfig({ DATABASE_URL: database_url }).database_url).toBe(database_url)
  },
)
