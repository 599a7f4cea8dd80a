// Values for a schema, from a seed: such as fit, such as lie on its edge, and such as an attacker would send.
import { between, pick, type Random } from '../server/src/demo/random.ts'
import { type Document, resolve, type Schema } from './operations.ts'

export type Aim = 'valid' | 'edge' | 'hostile'

export type Source = {
  readonly random: Random
  readonly document: Document
  /** Values known to mean something, by the name of the field. */
  known(field: string): unknown
}

/** Invariant: none of these holds what the judge takes for a leak. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...['', ' ', '\t\r\n', '\u0000', 'a\u0000b', '\ud800', '\udc00x', '\u2028\u2029', '\ufeff'],
  ...[
    "'",
    '"',
    '`',
    "' OR '1'='1",
    "'; DROP TABLE employees; --",
    '$1',
    '$\u007b7*7}',
    '{{7*7}}',
    '%s%n',
  ],
  ...[
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '</script>',
    'javascript:alert(1)',
  ],
  ...[
    '../../etc/passwd',
    '..%2f..%2f',
    '%00',
    '%ff',
    '%2540',
    '\\',
    '\\\\',
    '%',
    '_',
    '.*',
    '(a+)+$',
  ],
  ...['=1+1', '@SUM(A1)', '+1', '-1', 'a@b', '@', 'a@@b.co', '"a b"@example.com', 'a@b.co,c@d.co'],
  ...['a@b.co\r\nBcc: c@d.co', 'x\r\nSet-Cookie: a=b', '\u202eevil', '\u200b', 'İ', 'ß', 'ﬀ', 'ﷺ'],
  ...[
    'null',
    'undefined',
    'NaN',
    'true',
    '[]',
    '{}',
    '0',
    '1e309',
    '0x10',
    '９',
    '-0',
    '1e2',
    ' 7',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '_',
    'ten_',
    'bw_live_',
  ],
  ...[
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://0x7f.1/',
    'file:///x',
  ],
  ...[
    'gopher://x/',
    'https://user:pw@example.com/',
    'https://example.com:99999/',
    'https://',
    '//x',
  ],
  ...['2026-02-30', '9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z', '+275760-09-13T00:00:00Z'],
  ...['2026-03-01T00:00:00+14:00', '2026-03-01T24:00:00Z', '-000001-01-01T00:00:00Z', '2026-W09'],
  ...[
    '😀'.repeat(200),
    'x'.repeat(10_000),
    'é'.repeat(3000),
    '\u0301'.repeat(500),
    'a.'.repeat(500),
  ],
  ...[`${'a'.repeat(63)}@${'b'.repeat(250)}.co`, '1'.repeat(400), '-'.repeat(300)],
]

const HOSTILE_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 53), 2 ** 31, 2 ** 63],
  ...[[], {}, [[]], [null], [[[[[[[[[[]]]]]]]]]], { a: { a: { a: { a: {} } } } }, { $ne: null }],
  ...[{ '': '' }, { toString: 'x' }, { length: 1e9 }, Array(200).fill(0), { valueOf: 1 }],
]

export function makeValue(source: Source, schema: Schema, aim: Aim, field = ''): unknown {
  const { random } = source
  const part = resolve(source.document, schema)
  if (aim === 'hostile') return makeHostile(random, part)
  if (aim === 'edge') return makeEdge(source, part, field)
  return makeValid(source, part, field)
}

function makeHostile(random: Random, { type }: Schema): unknown {
  if (type === 'string' && random() < 0.7) return pick(random, HOSTILE_TEXTS)
  return random() < 0.5 ? pick(random, HOSTILE_TEXTS) : pick(random, HOSTILE_VALUES)
}

function choicesOf(part: Schema): readonly Schema[] | null {
  return ((part.anyOf ?? part.oneOf) as readonly Schema[] | undefined) ?? null
}

function makeValid(source: Source, part: Schema, field: string): unknown {
  const { random } = source
  if ('const' in part) return part.const
  if (Array.isArray(part.enum)) return pick(random, part.enum)
  const choices = choicesOf(part)
  if (choices) return makeValue(source, pick(random, choices), 'valid', field)
  const type = pick(random, [part.type ?? 'object'].flat()) as string
  const known = random() < 0.8 ? source.known(field) : undefined
  if (known !== undefined) return known
  if (type === 'object') return makeObject(source, part)
  if (type === 'array') return makeList(source, part, between(random, 1, 3))
  const examples = (part.examples ?? []) as unknown[]
  if (examples.length > 0 && random() < 0.5) return pick(random, examples)
  if (type === 'boolean') return random() < 0.5
  if (type === 'integer' || type === 'number') return makeNumber(random, part)
  return makeText(random, part, examples)
}

function makeNumber(random: Random, { minimum, maximum }: Schema): number {
  const least = Number(minimum ?? -100)
  return between(random, least, Math.min(Number(maximum ?? least + 200), least + 2000))
}

function makeText(random: Random, part: Schema, examples: unknown[]): unknown {
  if (part.pattern !== undefined || part.format !== undefined) {
    return examples[0] ?? pick(random, ['2026-03-01T00:00:00Z', 'ada@example.com', '2026-03-01'])
  }
  const least = Math.max(1, Number(part.minLength ?? 1))
  const length = between(random, least, Math.min(Number(part.maxLength ?? 40), least + 40))
  const letters = 'abcdefghijklmnopqrstuvwxyz éß日😀.-_'
  return Array.from({ length }, () => pick(random, [...letters])).join('')
}

/** Few fields are left out and few are added; `details` and its like take anything. */
function makeObject(source: Source, part: Schema): Record<string, unknown> {
  const { random } = source
  const required = new Set((part.required ?? []) as string[])
  const made: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries((part.properties ?? {}) as Record<string, Schema>)) {
    if (required.has(name) || random() < 0.4) made[name] = makeValue(source, inner, 'valid', name)
  }
  if (part.additionalProperties !== false && random() < 0.5) {
    made[pick(random, ['severity', 'metadata.region', 'score', 'x'])] = pick(random, [
      'high',
      3,
      true,
    ])
  }
  return made
}

function makeList(source: Source, part: Schema, length: number): unknown[] {
  const items = (part.items ?? { type: 'string' }) as Schema
  return Array.from({ length }, () => makeValue(source, items, 'valid'))
}

/** One below, at, and one above every bound the schema names. */
function makeEdge(source: Source, part: Schema, field: string): unknown {
  const { random } = source
  const choices = choicesOf(part)
  if (choices) return makeValue(source, pick(random, choices), 'edge', field)
  if (Array.isArray(part.enum)) {
    const one = String(pick(random, part.enum))
    return pick(random, [one, one.toUpperCase(), `${one} `, '', null])
  }
  const type = [part.type].flat()[0]
  if (type === 'integer' || type === 'number') return makeNumberEdge(random, part)
  if (type === 'array') {
    const most = Number(part.maxItems ?? 10)
    // The largest lists are many rows each, so they are rare.
    const sizes = most > 100 && random() < 0.95 ? [0, 1, 2] : [0, 1, most, most + 1]
    return makeList(source, part, pick(random, sizes))
  }
  if (type !== 'string') return makeValid(source, part, field)
  const lengths = [part.minLength, part.maxLength].flatMap(bound =>
    bound === undefined ? [] : [Number(bound) - 1, Number(bound), Number(bound) + 1],
  )
  const length = Math.max(0, pick(random, lengths.length > 0 ? lengths : [0, 1, 300]))
  return pick(random, ['x', 'é', '😀']).repeat(length).slice(0, length)
}

function makeNumberEdge(random: Random, { minimum, maximum }: Schema): number {
  const bounds = [minimum, maximum].flatMap(bound =>
    bound === undefined ? [] : [Number(bound) - 1, Number(bound), Number(bound) + 1],
  )
  return pick(random, [...bounds, 0, -0, 1, 2 ** 53, 1e21, 0.5])
}
