// One request for an operation: mostly fitting, with some parts on the edge or hostile, so that it gets far in.
import { pick, type Random } from '../server/src/demo/random.ts'
import type { Operation, Parameter, Schema } from './operations.ts'
import { type Aim, HOSTILE_TEXTS, makeValue, type Source } from './values.ts'

export type FuzzRequest = {
  method: string
  url: string
  headers: Record<string, string>
  payload?: string | Buffer
}

/** Ids and addresses seen in answers, and some of another tenant, by what they name. */
export type Pools = {
  own(kind: string, random: Random): string
  foreign(kind: string, random: Random): string
}

const AIMS: readonly Aim[] = ['valid', 'valid', 'edge', 'hostile']

export function makeRequest(operation: Operation, source: Source, pools: Pools): FuzzRequest {
  const { random } = source
  const aim = pick(random, AIMS)
  const url = fillPath(operation, source, pools, aim) + makeQuery(operation, source, aim)
  const headers = makeHeaders(operation, source)
  if (operation.body === null)
    return maybeUnasked(random, { method: operation.method, url, headers })
  const payload = operation.form
    ? makeForm(operation, source, aim)
    : makeBody(operation, source, aim)
  const type = operation.form ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    method: operation.method,
    url,
    headers: { 'content-type': random() < 0.02 ? pick(random, ODD_TYPES) : type, ...headers },
    payload,
  }
}

const ODD_TYPES = [
  ...['text/plain', 'application/xml', 'application/json; charset=utf-16', 'multipart/form-data'],
  ...['application/json;', 'application/jsonp', '*/*', 'application/json, text/html'],
]

/** A body where none is taken, now and then. */
function maybeUnasked(random: Random, request: FuzzRequest): FuzzRequest {
  if (request.method === 'GET' || random() > 0.1) return request
  const headers = { ...request.headers, 'content-type': 'application/json' }
  return { ...request, headers, payload: pick(random, ['{}', '{"a":1}', '[]', 'null', '{']) }
}

function fillPath({ path }: Operation, { random }: Source, pools: Pools, aim: Aim): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const kind = kindOf(path.slice(0, at), name)
    const chance = random()
    if (aim === 'hostile' && chance < 0.5) return encode(pick(random, HOSTILE_TEXTS)) || 'x'
    return encode(chance > 0.85 ? pools.foreign(kind, random) : pools.own(kind, random))
  })
}

/** `/v1/webhooks/deliveries/{id}` is about deliveries. */
export function kindOf(before: string, name: string): string {
  if (name === 'email' || name === 'job_id' || name === 'recovery_id') return name
  return (
    before
      .split('/')
      .filter(part => part !== '' && !part.startsWith('{'))
      .at(-1) ?? ''
  )
}

/** Half a surrogate pair cannot be encoded; sent as its bytes it is not UTF-8. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}

function makeQuery(operation: Operation, source: Source, aim: Aim): string {
  const { random } = source
  const parts: string[] = []
  for (const parameter of operation.parameters.filter(one => one.in === 'query')) {
    if (!parameter.required && random() < 0.5) continue
    parts.push(`${parameter.name}=${encode(textOf(makePart(parameter, source, aim)))}`)
  }
  if (aim === 'hostile' && random() < 0.15) {
    const extra = ['__proto__=1', 'a=b', 'page=1&page=2', '%ff=1', 'x[]=1', '&&=&', 'callback=x']
    parts.push(pick(random, extra))
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function makePart({ name, schema }: Parameter, source: Source, aim: Aim): unknown {
  const partAim = aim !== 'valid' && source.random() < 0.4 ? aim : 'valid'
  return makeValue(source, schema, partAim, name)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const KEY_SAMPLES = ['k1', 'k2', 'x'.repeat(255), 'x'.repeat(256), ' ', 'é', '!', '\t']

function makeHeaders({ parameters }: Operation, { random }: Source): Record<string, string> {
  const headers: Record<string, string> = {}
  const repeatable = parameters.some(({ name }) => name === 'Idempotency-Key')
  if (repeatable && random() < 0.15) headers['idempotency-key'] = pick(random, KEY_SAMPLES)
  if (random() < 0.02) headers['x-http-method-override'] = 'DELETE'
  if (random() < 0.02) headers['x-forwarded-for'] = pick(random, ['127.0.0.1', "'", '::1, x'])
  if (random() < 0.02) headers['x-request-id'] = pick(random, ['mine', 'a'.repeat(300)])
  if (random() < 0.02) headers.accept = pick(random, ['text/html', 'application/xml', '*/*;q=x'])
  if (random() < 0.01) headers['content-encoding'] = pick(random, ['gzip', 'br', 'identity, gzip'])
  return headers
}

const BROKEN_BODIES: readonly (string | Buffer)[] = [
  ...[
    '',
    '{',
    '[]',
    'null',
    '0',
    '"x"',
    '{"a":1,"a":2}',
    '\ufeff{}',
    '{"__proto__":{"x":1}}',
    '{}x',
  ],
  ...[
    '{"a":1e999}',
    '{"a":"\\u0000"}',
    '{"a":"\\ud800"}',
    `${'['.repeat(2000)}${']'.repeat(2000)}`,
  ],
  ...[
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.alloc(300_000, 0x20),
    '\u0000',
  ],
]

function makeBody({ body }: Operation, source: Source, aim: Aim): string | Buffer {
  const { random } = source
  if (aim === 'hostile' && random() < 0.15) return pick(random, BROKEN_BODIES)
  const made = makeValue(source, body as Schema, 'valid')
  if (aim === 'valid' || typeof made !== 'object' || made === null) return JSON.stringify(made)
  return JSON.stringify(spoil(made as Record<string, unknown>, body as Schema, source, aim))
}

const EXTRA_FIELDS = [
  ...['tenant_id', 'id', 'score', 'is_default', 'role', 'status', 'created_at', 'isAdmin', '', '$'],
]

/** One or two fields of a fitting body are replaced; sometimes one is added or taken away. */
function spoil(made: Record<string, unknown>, schema: Schema, source: Source, aim: Aim): unknown {
  const { random } = source
  const { properties = {} } = resolveFields(source, schema)
  const names = Object.keys(properties)
  for (let i = 0; i < 2 && names.length > 0; i++) {
    const name = pick(random, names)
    made[name] = makeValue(source, properties[name]!, aim, name)
  }
  if (random() < 0.1) made[pick(random, EXTRA_FIELDS)] = pick(random, ['x', 1, null, true])
  if (random() < 0.1 && names.length > 0) delete made[pick(random, names)]
  if (random() < 0.05) return pick(random, [[made], { body: made }, made, null, 'x'])
  return made
}

function resolveFields(
  { document }: Source,
  schema: Schema,
): { properties?: Record<string, Schema> } {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref ?? ''))?.[1]
  return name === undefined ? schema : document.components.schemas![name]!
}

function makeForm({ body }: Operation, source: Source, aim: Aim): string {
  const { random } = source
  const { properties = {} } = body as { properties?: Record<string, Schema> }
  const pairs = Object.entries(properties)
    .filter(() => random() < 0.9)
    .map(([name, schema]) => {
      const partAim = aim !== 'valid' && random() < 0.4 ? aim : 'valid'
      return `${name}=${encode(textOf(makeValue(source, schema, partAim, name)))}`
    })
  if (random() < 0.1 && pairs.length > 0) pairs.push(pairs[0]!)
  if (random() < 0.05)
    pairs.push(pick(random, ['%ff=%ff', '=', 'a'.repeat(40_000), '&&&&', '\u0000']))
  return pairs.join('&')
}
