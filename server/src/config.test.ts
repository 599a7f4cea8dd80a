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

test('what is not set is closed: loopback only, no proxy believed, no private destination', () => {
  expect(readConfig({})).toMatchObject({
    ...{ host: '127.0.0.1', trust_proxy: null, webhook_allow: [], smtp_url: null },
    ...{ log_level: 'info', password_cost: { memory_kib: 19_456, passes: 2 } },
  })
  expect(Object.isFrozen(readConfig({}))).toBe(true)
})
