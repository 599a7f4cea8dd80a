// How a person is found in text: in every form they may stand in, and nobody else with them.
import { describe, expect, test } from 'vitest'
import { createIdFinder } from './many-ids.ts'
import {
  countPasses,
  idPatterns,
  namesInKey,
  type Traces,
  takeOutTraces,
  tracePatterns,
} from './mentions.ts'

const traces: Traces = {
  email: 'Ann.Lee+x@example.com',
  name: ['Ann Mary', "O'Lee"],
  ids: ['badge-4711', 'a/b (c)'],
}
const patterns = tracePatterns(traces)
const free = (text: string) => takeOutTraces(text, patterns, '<alias>')

describe('taken out', () => {
  test.each([
    ['ann.lee+x@EXAMPLE.com.', '<alias>.'],
    ['(ann.lee+x@example.com)', '(<alias>)'],
    ['mailto:Ann.Lee%2Bx%40example.com', 'mailto:<alias>'],
    [JSON.stringify('one\nAnn.Lee+x@example.com\ttwo'), String.raw`"one\n<alias>\ttwo"`],
    ["by Ann Mary O'Lee's laptop", "by erased's laptop"],
    ["O'LEE, ANN  MARY", 'erased'],
    ["ann mary.o'lee logged in", 'erased logged in'],
    ['see badge-4711, A/B (C)', 'see erased, erased'],
    ['Ann.Lee+x@example.com Ann.Lee+x@example.com', '<alias> <alias>'],
  ])('%s', (text, left) => {
    expect(free(text)).toBe(left)
    expect(text.toLowerCase()).toMatch(new RegExp(patterns.rough.toLowerCase()))
  })
})

describe('left alone', () => {
  test.each([
    ...['joann.lee+x@example.com', 'ann.lee+x@example.com.au', 'ann.lee+x@example.common'],
    ...['Ann O’Lee', "Ann Mary O'Leery", "Joann Mary O'Lee", "ann mary.o'lee@other.example"],
    ...['badge-47110', 'xbadge-4711', 'annxlee+x@example.com'],
  ])('%s', text => {
    expect(free(text)).toBe(text)
  })
})

test('a name with a quotation mark is found within a longer text, as it is and in JSON', () => {
  const nick = tracePatterns({ email: 'z@x.test', name: ['Ann "Ace"', 'Lee'], ids: [] })
  const text = 'seen Ann "Ace" Lee there'
  for (const one of [text, JSON.stringify({ text })]) {
    expect(takeOutTraces(one, nick, '-')).toMatch(/seen erased there/)
  }
})

test('a letter whose accent stands apart is another letter', () => {
  const short = tracePatterns({ email: 'z@x.test', name: ['Jo', 'Mul'], ids: [] })
  for (const text of ['Jo Mul\u0308', 'e\u0301Jo Mul']) {
    expect(takeOutTraces(text, short, '-')).toBe(text)
  }
})

test('letters beyond ASCII are found in either case, also by a database of LC_CTYPE C, which leaves them as they are', () => {
  const lower = (text: string) => text.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const { rough } = tracePatterns({ email: 'jörg@ü.example', name: ['Jo', 'Öztürk'], ids: [] })
  const greek = tracePatterns({ email: 'z@x.test', name: ['Jo', 'Σίσυφος'], ids: [] })
  for (const text of ['JÖRG@Ü.EXAMPLE', 'Jo ÖZTÜRK', 'jo öztürk', 'Jo O\u0308ZTU\u0308RK']) {
    expect(lower(text)).toMatch(new RegExp(lower(rough)))
    expect(text.toLowerCase()).toMatch(new RegExp(rough.toLowerCase()))
  }
  for (const text of ['Jo ΣΊΣΥΦΟΣ', 'jo σίσυφος']) {
    expect(lower(text)).toMatch(new RegExp(lower(greek.rough)))
    expect(text.toLowerCase()).toMatch(new RegExp(greek.rough.toLowerCase()))
  }
  expect(lower('Jo Ozturk')).not.toMatch(new RegExp(lower(rough)))
})

test('a key may hold the address behind a hyphen', () => {
  expect(free('hr-ann.lee+x@example.com-1')).toBe('hr-ann.lee+x@example.com-1')
  expect(namesInKey('POST /v1/events hr-ann.lee+x@example.com-1', patterns)).toBe(true)
  expect(namesInKey('POST /v1/events joann.lee+x@example.com', patterns)).toBe(false)
})

describe('many ids', () => {
  const ids = Array.from({ length: 25_000 }, (_, i) => `INC ${i} / ΟΔΟΣ`)
  const find = createIdFinder(ids)

  test('are left to a pass of their own, the address is looked for in the first', () => {
    const many = { ...traces, ids }
    expect([countPasses({ ...traces, ids: [] }), countPasses(traces), countPasses(many)]).toEqual([
      1, 1, 2,
    ])
    const text = `${ids[3]} Ann.Lee+x@example.com`
    expect(takeOutTraces(text, tracePatterns(many), '-')).toBe(`${ids[3]} -`)
  })

  test.each([
    ['as it is', 'see INC 20249 / ΟΔΟΣ, please', 'see erased, please'],
    ['in another case', 'see inc 20249 / οδος', 'see erased'],
    ['in JSON', JSON.stringify('a\nINC 20249 / ΟΔΟΣ'), '"a\\nerased"'],
    ['in an address', `x?id=${encodeURIComponent('INC 20249 / ΟΔΟΣ')}`, 'x?id=erased'],
    ['two', 'INC 1 / ΟΔΟΣ INC 2 / ΟΔΟΣ', 'erased erased'],
  ])('%s are found', (_, text, left) => {
    expect(takeOutTraces(text, idPatterns(find(text)), '-')).toBe(left)
  })

  test.each(['INC 25000 / ΟΔΟΣ', 'INC 1 / ΟΔΟ', 'INC', ''])('%s is none of them', text => {
    expect(find(text)).toEqual([])
  })
})
