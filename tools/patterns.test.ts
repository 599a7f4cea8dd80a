// No regular expression of ours can be made slow: each is tried on texts that are made to be tried in vain.
import { expect, test } from 'vitest'
import { readHouse } from './house-files.ts'
import { buildOfflineApp } from './offline-app.ts'
import { attacksOn, listPatterns, type Pattern } from './patterns.ts'

const LENGTH = 8_000
/** Linear ones need about a millisecond of the processor, quadratic ones a tenth of a second and more. */
const MOST_MS = 50
/** What else the process did meanwhile is counted too, so the least of a few counts. */
const TRIES = 4

/** Never given more than this many characters, for the reason that stands here. */
const BOUNDED = new Map<string, { most: number; because: string }>([
  ['=+$', { most: 100, because: 'the padding of a hash we made' }],
  ['[\\d\\p{P}\\p{S}\\s]+$', { most: 200, because: 'a longer password is refused before' }],
  ['\\/+$', { most: 2000, because: 'a setting of the operator' }],
  ['\\s*\\n\\s*', { most: 2000, because: 'an error shown to the operator' }],
])

const OWN = /^(?:server\/src|scoring)\/(?!.*\.(?:test|fixture)\.ts$).*\.ts$/

function cpuOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function isSlow(pattern: Pattern): boolean {
  const most = BOUNDED.get(pattern.source)?.most ?? LENGTH
  return attacksOn(pattern, most).some(text => {
    const expression = new RegExp(pattern.source, pattern.flags.replace('y', ''))
    const isOver = () => cpuOf(() => void text.replace(expression, '')) > MOST_MS
    return Array.from({ length: TRIES }).every(isOver)
  })
}

const show = ({ source, flags }: Pattern) => `/${source}/${flags}`

test('every pattern of the code answers long hostile texts at once', () => {
  const all = [...readHouse()]
    .filter(([file]) => OWN.test(file))
    .flatMap(([, text]) => listPatterns(text))
  const patterns = [...new Map(all.map(one => [show(one), one])).values()]
  expect(patterns.length).toBeGreaterThan(80)
  expect(patterns.filter(isSlow).map(show)).toEqual([])
})

test('every pattern of a schema does too', () => {
  const found = new Set<string>()
  JSON.stringify(buildOfflineApp().routes, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') found.add(value)
    return value
  })
  expect(found.size).toBeGreaterThan(3)
  const slow = [...found].map(source => ({ source, flags: 'u' })).filter(isSlow)
  expect(slow.map(show)).toEqual([])
})

/** Short enough that even the worst of them ends. */
test.each([
  ['^(a+)+$', 24],
  ['^(\\w+\\s?)*$', 24],
  ['^(a|a)*$', 22],
  ['(.*)\\d+(.*)x', 400],
  ['\\s+$', 12_000],
])('a careless one is noticed: %s', (source, length) => {
  const texts = attacksOn({ source, flags: '' }, length)
  expect(texts.some(text => cpuOf(() => void new RegExp(source).test(text)) > 15)).toBe(true)
})

test('literals are told from divisions, strings and comments', () => {
  const text = "// /no/\nconst a = b / c / d\nconst e = /x[/]y/g.test('/z/')\nreturn /\\/q/\n"
  expect(listPatterns(text)).toEqual([
    { source: 'x[/]y', flags: 'g' },
    { source: '\\/q', flags: '' },
  ])
})
