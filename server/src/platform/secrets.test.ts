// What is sealed opens only unchanged, in its place and by its key; every failure looks alike.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { createSecrets, keyFromFolder, keyFromSetting } from './secrets.ts'
import { isSameSecret, newToken } from './tokens.ts'

const key = keyFromSetting('a key for tests only, long enough')
const secrets = createSecrets(key)
const folder = mkdtempSync(join(tmpdir(), 'bellwether-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('opens what it sealed, names its form, and never seals twice alike', () => {
  const [one, two] = [secrets.seal('whsec_é', 'a'), secrets.seal('whsec_é', 'a')]
  expect(one).toMatch(/^v1\./)
  expect(one).not.toBe(two)
  expect([secrets.open(one, 'a'), secrets.open(two, 'a')]).toEqual(['whsec_é', 'whsec_é'])
})

test('any changed byte, another place, another key and anything cut give one and the same error', () => {
  const sealed = secrets.seal('secret', 'ten_1 wh_1')
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  const changed = [...bytes.keys()].map(at => {
    const copy = Buffer.from(bytes)
    copy[at]! ^= 1
    return `v1.${copy.toString('base64url')}`
  })
  const other = createSecrets(keyFromSetting('another key for tests, long enough'))
  const tries = [
    ...changed.map(text => () => secrets.open(text, 'ten_1 wh_1')),
    ...['', 'v1.', 'v2.AAAA', sealed.slice(0, 20)].map(
      text => () => secrets.open(text, 'ten_1 wh_1'),
    ),
    () => secrets.open(sealed, 'ten_2 wh_1'),
    () => other.open(sealed, 'ten_1 wh_1'),
  ]
  expect(tries.length).toBeGreaterThan(30)
  for (const attempt of tries) expect(attempt).toThrow(/^a stored secret cannot be opened$/)
})

test('a new key seals, and the one before still opens what it sealed', () => {
  const next = keyFromSetting('the next key for tests, long enough')
  const both = createSecrets(next, key)
  const old = secrets.seal('kept', 'a')
  expect(both.open(old, 'a')).toBe('kept')
  const renewed = both.seal(both.open(old, 'a'), 'a')
  expect(createSecrets(next).open(renewed, 'a')).toBe('kept')
  expect(() => secrets.open(renewed, 'a')).toThrow()
})

test('a signature holds for its text, its purpose and its key alone', () => {
  const other = keyFromSetting('another key for tests, long enough')
  const signed = secrets.sign('text', 'a')
  expect(secrets.isSigned(signed, 'text', 'a')).toBe(true)
  expect(createSecrets(other, key).isSigned(signed, 'text', 'a')).toBe(true)
  for (const [text, purpose] of [
    ['texts', 'a'],
    ['text', 'b'],
  ] as const)
    expect(secrets.isSigned(signed, text, purpose)).toBe(false)
  expect(createSecrets(other).isSigned(signed, 'text', 'a')).toBe(false)
  expect(secrets.isSigned('', 'text', 'a')).toBe(false)
})

test('the key of a data folder is made once, is random, and is for its owner alone', () => {
  const [here, there] = [join(folder, 'a'), join(folder, 'b')]
  const made = keyFromFolder(here)
  expect(keyFromFolder(here)).toEqual(made)
  expect(keyFromFolder(there)).not.toEqual(made)
  expect(statSync(join(here, 'secret.key')).mode & 0o777).toBe(0o600)
  expect(readdirSync(here)).toEqual(['secret.key'])
})

test.each(['', '\n', 'half of a key'])(
  'a key file that holds %j is never taken for a key',
  text => {
    const path = join(folder, 'cut')
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'secret.key'), text)
    expect(() => keyFromFolder(path)).toThrow(`${path}/secret.key is empty or cut off`)
  },
)

test('nonces, tokens and ids do not repeat in many draws', () => {
  const draws = 20_000
  const nonces = Array.from({ length: draws }, () => secrets.seal('', '').slice(3, 19))
  const tokens = Array.from({ length: draws }, newToken)
  const ids = Array.from({ length: draws }, () => newId('evt', 0))
  for (const list of [nonces, tokens, ids]) expect(new Set(list).size).toBe(draws)
})

test('secrets are compared in full, whatever their lengths', () => {
  const token = newToken()
  expect(token).toMatch(/^[0-9A-Za-z]{43}$/)
  expect(isSameSecret(token, token)).toBe(true)
  for (const other of ['', token.slice(1), `${token}x`, newToken()]) {
    expect(isSameSecret(token, other)).toBe(false)
  }
})
