// Every security requirement has its proof or says why not, and every proof it names is there.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hasTest, judgeRequirement, parseCsv, printPage, readRequirements } from './asvs.ts'
import { readHouse } from './house-files.ts'

const sources = readHouse()
const rows = readRequirements()
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

test('every requirement names a test that exists, or a gap with its reason', () => {
  expect(rows.length).toBeGreaterThan(280)
  expect(rows.flatMap(row => judgeRequirement(row, sources))).toEqual([])
})

test('levels 1 and 2 are complete', () => {
  const open = rows.filter(({ level, gap }) => /^L[12]$/.test(level) && gap !== '')
  expect(open.map(({ id, gap }) => `${id} ${gap}`)).toEqual([])
})

test('the page is the one the list gives', () => {
  expect(read('../docs/security/asvs.md')).toBe(printPage(rows))
})

test('the threat model names tests that exist, one at least for each row', () => {
  const table = read('../SECURITY.md')
    .split('\n')
    .filter(line => /^\| \*\*[STRIDE]\*\*/.test(line))
  expect(table.length).toBeGreaterThan(20)
  const wrong = table.flatMap(line => {
    const named = [...line.matchAll(/`([\w./-]+\.test\.ts)` ([^|<]+?)\s*(?=<br>|\|)/g)]
    const missing = named.filter(([, file, title]) => !hasTest(sources.get(file!) ?? '', title!))
    return named.length === 0 ? [line] : missing.map(([text]) => text)
  })
  expect(wrong).toEqual([])
})

const row = { id: 'V0', level: 'L1', requirement: 'r', idea: 'i', where: 'w', test: '', gap: '' }
const house = new Map([['a.test.ts', "test('does it', () => {})\nit.each(x)(\n  `%s isn't`,"]])

test.each([
  [{ ...row }, 'neither'],
  [{ ...row, gap: 'later' }, 'write "gap, because'],
  [{ ...row, test: 'a.test.ts › does', gap: '' }, 'no test "does"'],
  [{ ...row, test: 'b.test.ts › does it' }, 'no test "does it" in b.test.ts'],
  [{ ...row, test: 'a.test.ts › does it', gap: 'gap, because x' }, 'a test and a gap'],
])('%j is refused', (bad, words) => {
  expect(judgeRequirement(bad, house).join()).toContain(words)
})

test.each([
  { ...row, gap: 'gap, because it costs more than it gives' },
  { ...row, test: 'a.test.ts › does it' },
  { ...row, test: "a.test.ts › does it | a.test.ts › %s isn't" },
])('%j is taken', good => {
  expect(judgeRequirement(good, house)).toEqual([])
})

test('cells may hold commas, quotes and line breaks', () => {
  expect(parseCsv('a,"b, ""c""\nd",\r\n"",e,f\n')).toEqual([
    ['a', 'b, "c"\nd', ''],
    ['', 'e', 'f'],
  ])
})
