// Which passwords are refused, and how the others are hashed.
import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { isCommonPassword } from './common-passwords.ts'
import { hashChosen, hashPassword, verifyPassword } from './password-hash.ts'
import { judgePassword, requireGoodPassword } from './password-policy.ts'

const EMAIL = 'ann.miller@northwind.example'

describe('a password', () => {
  it('needs 12 characters, counted as people count them', () => {
    expect(judgePassword('xq7Lr kWp2v', EMAIL)).toContain('at least 12')
    expect(judgePassword('xq7Lr kWp2vz', EMAIL)).toBeNull()
    expect(judgePassword('🦦🦉🐝🦊🐙🦀🐢🦁🐳🦋🐌', EMAIL)).toContain('at least 12')
    expect(judgePassword('🦦🦉🐝🦊🐙🦀🐢🦁🐳🦋🐌🦔', EMAIL)).toBeNull()
    expect(judgePassword('a quiet river bends '.repeat(11), EMAIL)).toContain('at most 200')
  })

  it.each([
    'password1234',
    'Password1234!',
    'P@ssw0rd12345',
    'PASSWORD!!!!!!',
    '!!!!password!!!!',
    '1qaz2wsx3edc',
    'qwertyuiop123',
    'iloveyou2024!!',
    'sunshine123456',
    'abcdefghijklm',
    'abcabcabcabc',
    '121212121212',
    '987654321098',
    'ann.miller@northwind.example',
    'hello northwind!',
    'xx-miller-rules',
    'Bellwether-2026',
  ])('%s is refused', password => {
    expect(judgePassword(password, EMAIL)).not.toBeNull()
  })

  it.each([
    'violet otters sing at noon',
    'correct horse battery staple',
    'Tr0ub4dor&3x!q',
    'ни пуха ни пера',
  ])('%s is taken', password => {
    expect(judgePassword(password, EMAIL)).toBeNull()
  })

  it.each([
    ['p@$$w0rd'.padEnd(12, '1'), 'most common'],
    ['5un5h1ne!!!!', 'most common'],
    ['....football....', 'most common'],
    ['football999999', 'most common'],
    ['xyzxyzxyzxyzx', 'simple pattern'],
    ['zzzzzzzzzzzzzz', 'simple pattern'],
    ['zyxwvutsrqponm', 'simple pattern'],
    ['ann.miller@northwind.example', 'your email address'],
    ['we love northwind', 'your email address'],
    ['I am Miller today', 'your email address'],
    ['my bellwether rocks', 'name of this service'],
  ])('of %s it is said: %s', (password, words) => {
    const said = judgePassword(password, EMAIL)
    expect(said).toContain(words)
  })

  it('parts of the address shorter than four letters are nobody’s', () => {
    expect(judgePassword('violet ann sings at noon', EMAIL)).toBeNull()
    expect(judgePassword('violet otters sing zoe', 'zoe.x@ab.cd')).toBeNull()
    expect(judgePassword('violet otters sing zoey', 'zoey.x@ab.cd')).not.toBeNull()
    for (const mark of ['.', '+', '_', '-']) {
      expect(judgePassword('violet walrus sings', `ab${mark}walrus@x.io`), mark).not.toBeNull()
    }
  })

  it('a few steps in a row, or a few letters again, are no pattern', () => {
    expect(judgePassword('abcd violet 4321', EMAIL)).toBeNull()
    expect(judgePassword('otter otter sings', EMAIL)).toBeNull()
  })

  it('is refused by the name of its field, with the reason', () => {
    expect(() => requireGoodPassword('short', EMAIL, [])).toThrow('password: must have at least 12')
    expect(() => requireGoodPassword('violet otters sing', EMAIL, ['At', 'Violet Otters'])).toThrow(
      'password: must not contain the name of your organization',
    )
    expect(requireGoodPassword('violet otters sing at noon', EMAIL, ['At'])).toBeUndefined()
    expect(judgePassword('violet otters sing at noon; '.repeat(8).slice(0, 200), EMAIL)).toBeNull()
  })

  it.each(['violetotters sing on', 'sing VioletOtters on', 'on violet-otters.inc hum'])(
    'the name of the organization counts without its spaces and signs: %s',
    password => {
      const name = password.includes('inc') ? ' Violet-Otters.Inc ' : 'Violet - Otters'
      expect(judgePassword(password, EMAIL, [name])).toMatch('name of your organization')
      expect(judgePassword(password, EMAIL, ['Other'])).toBeNull()
    },
  )

  it.each(['l34v3m34l0n3', '##p4ssw0rd##', '2026!p4ssw0rd!'])(
    'a common one is known whatever is written for its letters and around it: %s',
    password => expect(judgePassword(password, EMAIL)).toMatch('most common passwords'),
  )

  it('the list of common passwords is whole and sorted', () => {
    for (const word of ['123456', 'password', 'qwerty', 'leavemealone', 'sonyericsson']) {
      expect(isCommonPassword(word), word).toBe(true)
    }
    expect(isCommonPassword('violet otters sing at noon')).toBe(false)
  })
})

describe('argon2id', () => {
  it('at the cost of production gives the known form and verifies', async () => {
    const cost = { memory_kib: 19_456, passes: 2 }
    const hash = await hashPassword('violet otters sing at noon', cost)
    expect(hash).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    )
    expect(await verifyPassword('violet otters sing at noon', hash, cost)).toBe(true)
    expect(await verifyPassword('violet otters sing at nooN', hash, cost)).toBe(false)
  })

  it('a flood beyond the waiting line is refused at once, and the line is served in full', async () => {
    const cost = { memory_kib: 64, passes: 1 }
    const atOnce = Math.max(1, Math.floor(availableParallelism() / 2))
    const answers = await Promise.allSettled(
      Array.from({ length: atOnce + 64 + 35 }, () => verifyPassword('x', null, cost)),
    )
    const refused = answers.filter(answer => answer.status === 'rejected')
    expect(refused).toHaveLength(35)
    expect(refused[0]!.reason.code).toBe('UNAVAILABLE')
    expect(await verifyPassword('x', null, cost)).toBe(false)
  })

  it('whoever chooses passwords without end leaves the line to others', async () => {
    const cost = { memory_kib: 64, passes: 1 }
    const chosen = Promise.allSettled(
      Array.from({ length: 100 }, () => hashChosen('usr_busy', 'x', cost)),
    )
    const other = hashChosen('usr_other', 'x', cost)
    expect(await verifyPassword('x', null, cost)).toBe(false)
    expect(await other).toMatch(/^\$argon2id/)
    const refused = (await chosen).filter(one => one.status === 'rejected')
    expect(refused).toHaveLength(97)
    expect(refused[0]!.reason.code).toBe('RATE_LIMITED')
    expect(await hashChosen('usr_busy', 'x', cost)).toMatch(/^\$argon2id/)
  })
})

describe('many people who choose passwords at once', () => {
  it('leave half of the line to those who log in, and hear that they shall come again', async () => {
    const cost = { memory_kib: 64, passes: 1 }
    const chosen = Promise.allSettled(
      Array.from({ length: 100 }, (_, i) => hashChosen(`usr_${i}`, 'x', cost)),
    )
    const logins = Array.from({ length: 32 }, () => verifyPassword('x', null, cost))
    expect(new Set(await Promise.all(logins))).toEqual(new Set([false]))
    const answers = await chosen
    const refused = answers.filter(one => one.status === 'rejected')
    expect(refused).toHaveLength(68)
    expect(refused[0]!.reason.code).toBe('UNAVAILABLE')
    expect(await hashChosen('usr_99', 'x', cost)).toMatch(/^\$argon2id/)
  })
})
