// One route as one operation of the API document: all of it follows from the route's schema and config.
import { ERRORS, type ErrorWords, errorAnswer, headersOf } from './openapi-answers.ts'
import { operationName } from './openapi-names.ts'
import { exampleOf, liftSchema, type Schema } from './openapi-schemas.ts'

/** What a route says about itself, as far as the document is concerned. */
export type RouteSchema = {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly operationId?: string
  /** Not part of the public API. */
  readonly hidden?: boolean
  /** Errors beside the usual ones, or other words for them, by status. */
  readonly errors?: Readonly<Record<number, string | ErrorWords>>
  /** No key and no app will do, only the session of a person whose role has the scope. */
  readonly session_only?: boolean
  /** Takes an Idempotency-Key although no status tells that it creates something. */
  readonly repeatable?: boolean
  readonly params?: unknown
  readonly querystring?: unknown
  readonly body?: unknown
  /** The body may be left out; then it is read as `{}`. */
  readonly body_optional?: boolean
  readonly response?: unknown
  /** Where the example of its answer differs from that of the shape. */
  readonly shows?: Schema
}

export type Route = {
  readonly method: string
  /** With `:id` for a path parameter. */
  readonly url: string
  readonly schema: RouteSchema
  readonly scope: string | undefined
  /** Scopes that are needed beside it. */
  readonly also: readonly string[]
  readonly buckets: readonly string[]
  readonly unlimited: boolean
}

export type Operation = Schema & { operationId: string; tags: readonly string[] }

/** Statuses with which a POST tells that it made something; such a POST can be repeated safely. */
const CREATING = ['201', '202', '207']
const LOCATED = ['201', '202']

export function describeOperation(
  route: Route,
  scopes: Readonly<Record<string, string>>,
  named: Map<string, Schema>,
): Operation {
  const { schema, scope } = route
  return {
    operationId: schema.operationId ?? operationName(route.method, route.url, answersOf(route)),
    tags: schema.tags ?? [],
    summary: schema.summary ?? '',
    description: describeInWords(route, scopes),
    ...(scope === undefined ? {} : { 'x-required-scope': scope }),
    security: securityOf(route),
    ...listIfAny('parameters', parametersOf(route, named)),
    ...(schema.body ? { requestBody: bodyOf(schema, named) } : {}),
    responses: { ...successesOf(route, named), ...errorsOf(route) },
  }
}

function listIfAny(key: string, list: unknown[]): Schema {
  return list.length > 0 ? { [key]: list } : {}
}

function answersOf({ schema }: Route): Record<string, Schema> {
  const all = Object.entries((schema.response ?? {}) as Record<string, Schema>)
  return Object.fromEntries(all.filter(([status]) => status.startsWith('2')))
}

function describeInWords(
  { schema, scope, also, buckets }: Route,
  scopes: Readonly<Record<string, string>>,
) {
  const parts = [schema.description ?? '']
  if (scope === 'any') parts.push('Any valid credential may ask.')
  else if (scope !== undefined && !schema.session_only)
    parts.push(`Requires the scope \`${scope}\` (${scopes[scope]}).`)
  for (const name of also) parts.push(`Also requires the scope \`${name}\` (${scopes[name]}).`)
  for (const bucket of buckets)
    parts.push(`Also counts against the limit \`${bucket}\` of the plan.`)
  return parts.filter(part => part !== '').join('\n\n')
}

function securityOf({ schema, scope, also }: Route): Schema[] {
  if (scope === undefined) return []
  if (schema.session_only) return [{ session: [] }]
  return [{ apiKey: [] }, { oauth: scope === 'any' ? [] : [scope, ...also] }]
}

function parametersOf(route: Route, named: Map<string, Schema>): Schema[] {
  const inPath = [...route.url.matchAll(/:(\w+)/g)].map(match => match[1]!)
  const params = (route.schema.params ?? {}) as { properties?: Record<string, Schema> }
  const query = (route.schema.querystring ?? {}) as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return [
    ...inPath.map(name =>
      parameter('path', name, params.properties?.[name] ?? ANY_TEXT, true, named),
    ),
    ...Object.entries(query.properties ?? {}).map(([name, schema]) =>
      parameter('query', name, schema, query.required?.includes(name) ?? false, named),
    ),
    ...(isRepeatable(route) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ]
}

const ANY_TEXT: Schema = { type: 'string' }

function parameter(
  place: 'path' | 'query',
  name: string,
  schema: Schema,
  required: boolean,
  named: Map<string, Schema>,
): Schema {
  const { description, examples, ...rest } = schema
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    description: description ?? '',
    schema: liftSchema(rest, named),
    ...(Array.isArray(examples) ? { example: examples[0] } : {}),
  }
}

function isRepeatable(route: Route): boolean {
  if (route.schema.repeatable) return true
  return route.method === 'POST' && CREATING.some(status => status in answersOf(route))
}

export const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the request safe to repeat: for 24 hours the same key gives the first answer again. ' +
    'With another body or query it is refused (409).',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: '6f1c2b9e-0b57-4f0e-9a55-8d1f3f2f7c11',
}

function bodyOf({ body, body_optional }: RouteSchema, named: Map<string, Schema>): Schema {
  return { required: !body_optional, content: contentOf(body as Schema, named) }
}

function contentOf(schema: Schema, named: Map<string, Schema>, shows?: Schema): Schema {
  const usual = exampleOf(schema)
  const example = shows ? { ...(usual as Schema), ...shows } : usual
  return { 'application/json': { schema: liftSchema(schema, named), example } }
}

function successesOf(route: Route, named: Map<string, Schema>): Schema {
  return Object.fromEntries(
    Object.entries(answersOf(route)).map(([status, schema]) => {
      const located = route.method === 'POST' && LOCATED.includes(status) ? ['Location'] : []
      const answer = {
        description: schema.description,
        headers: headersOf(!route.unlimited, located),
        ...(status === '204' ? {} : { content: contentOf(schema, named, route.schema.shows) }),
      }
      return [status, answer]
    }),
  )
}

/** Every error that can come of what the route takes, needs and does. */
function errorsOf(route: Route): Schema {
  const { method, url, schema, scope, unlimited } = route
  const applies: Record<number, boolean> = {
    400: Boolean(schema.querystring || schema.body || schema.params),
    401: scope !== undefined,
    403: scope !== undefined,
    404: url.includes(':'),
    409: isRepeatable(route),
    413: method !== 'GET',
    415: method !== 'GET',
    429: !unlimited,
    500: true,
    503: scope !== undefined,
  }
  const own = schema.errors ?? {}
  const statuses = Object.keys(ERRORS).filter(status => status in own || applies[Number(status)])
  return Object.fromEntries(
    statuses.map(status => {
      const words = own[Number(status)]
      const usual = words === undefined && !unlimited
      const shared = { $ref: `#/components/responses/${ERRORS[Number(status)]!.name}` }
      return [status, usual ? shared : errorAnswer(Number(status), !unlimited, words)]
    }),
  )
}
