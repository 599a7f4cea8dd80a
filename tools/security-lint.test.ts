// No file of ours uses weak cryptography, guessable chance, or a door to outside that is not on the list.
import { expect, test } from 'vitest'
import { readHouse } from './house-files.ts'
import { checkSecurity, SECURITY_RULES } from './security-lint.ts'

const files = readHouse()

test('the house keeps the rules of security', () => {
  const found = [...files].flatMap(([file, text]) => checkSecurity(file, text))
  expect(
    found.map(({ file, line, rule, message }) => `${file}:${line} ${rule}: ${message}`),
  ).toEqual([])
})

test('every exception still stands for a file that needs it', () => {
  const stale = SECURITY_RULES.flatMap(({ name, allowed = [], pattern }) =>
    allowed
      .filter(file => !new RegExp(pattern).test(files.get(file) ?? ''))
      .map(file => `${name} ${file}`),
  )
  expect(stale).toEqual([])
})

const CAUGHT: readonly [string, string][] = [
  ['code-from-text', "eval('1')"],
  ['code-from-text', "new Function('a', 'b')"],
  ['import-of-data', 'await import(name)'],
  ['guessable-chance', 'const token = Math.random()'],
  ['weak-algorithm', "createHash('md5')"],
  ['weak-algorithm', "createHmac('sha1', key)"],
  ['cipher', "createCipheriv('aes-256-cbc', key, iv)"],
  ['weaker-tls', 'connect({ rejectUnauthorized: false })'],
  ['door-to-outside', "import { connect } from 'node:net'"],
  ['door-to-outside', "await fetch('https://example.com')"],
  ['browser-storage', "localStorage.setItem('a', 'b')"],
  ['lookup-by-name', 'window[name]'],
  ['plain-comparison', 'if (token === given) return'],
]

test.each(CAUGHT)('%s is noticed: %s', (rule, line) => {
  const found = checkSecurity('server/src/events/some.ts', `// Why it is here.\n${line}\n`)
  expect(found.map(one => one.rule)).toContain(rule)
})

test('every rule has been seen to notice', () => {
  const seen = new Set(CAUGHT.map(([rule]) => rule))
  expect(SECURITY_RULES.map(({ name }) => name).filter(name => !seen.has(name))).toEqual([])
})

test('the schema has no place for hints or secret questions', () => {
  const columns = [...files].filter(([file]) => file.startsWith('server/migrations/'))
  expect(columns.length).toBeGreaterThan(5)
  for (const [file, text] of columns)
    expect(text, file).not.toMatch(/\b(?:password_hint|secret_question|password_answer)\b/)
})
