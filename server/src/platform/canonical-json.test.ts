// What is the same however it is written, and what is not.
import { expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

it('is the same in another order of keys, with other spaces and escapes, and after a byte order mark', () => {
  const one = '{"a":{"x":1,"y":[{"p":null,"q":"\\u00e9/"}]},"b":2}'
  const same = [
    '{ "b": 2, "a": { "y": [ { "q": "é\\/", "p": null } ], "x": 1.0 } }\n',
    `\ufeff${one}`,
  ]
  expect(same.map(canonicalJson)).toEqual([canonicalJson(one), canonicalJson(one)])
})

it('tells other values, another order of a list and other names apart', () => {
  const all = [
    '',
    '{}',
    '[]',
    '{"a":1}',
    '{"a":"1"}',
    '{"b":1}',
    '{"a":[1,2]}',
    '{"a":[2,1]}',
    '{"__proto__":{"a":1}}',
  ]
  expect(new Set(all.map(canonicalJson)).size).toBe(all.length)
})
