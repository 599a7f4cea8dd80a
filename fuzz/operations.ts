// What is fuzzed: the operations of the API document, the routes of the dashboard, and the forms of OAuth and login.
import { readFileSync } from 'node:fs'
import type { Route } from '../server/src/platform/openapi-operation.ts'

export type Schema = { readonly [key: string]: unknown }
export type Parameter = { name: string; in: string; schema: Schema; required: boolean }

export type Operation = {
  readonly name: string
  readonly method: string
  /** With `{id}` for a path parameter. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | null
  /** The schema of each status the operation may answer with, null for none; absent: nothing is promised. */
  readonly answers?: ReadonlyMap<number, Schema | null>
  readonly caller: 'key' | 'session' | 'nobody'
  readonly form?: boolean
}

export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

export function readDocument(): Document {
  return JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))
}

/** What a reference of the document stands for. */
export function resolve(document: Document, part: Schema): Schema {
  const { $ref } = part
  if (typeof $ref !== 'string') return part
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec($ref) ?? []
  return resolve(document, document.components[kind]![name]!)
}

export function listOperations(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      readOperation(document, method.toUpperCase(), path, operation),
    ),
  )
}

function readOperation(document: Document, method: string, path: string, operation: Schema) {
  const parameters = ((operation.parameters ?? []) as Schema[]).map(part => {
    const { name, in: place, schema, required, example } = resolve(document, part)
    const examples = example === undefined ? [] : [example]
    return { name, in: place, schema: { examples, ...(schema as Schema) }, required: !!required }
  })
  const answers = Object.entries(operation.responses as Record<string, Schema>).map(
    ([status, part]) => [Number(status), contentOf(resolve(document, part))] as const,
  )
  return {
    name: `${method} ${path}`,
    method,
    path,
    parameters: parameters as Parameter[],
    body: contentOf((operation.requestBody ?? {}) as Schema),
    answers: new Map(answers),
    caller: operation['x-required-scope'] === undefined ? 'nobody' : 'key',
  } as const
}

function contentOf(part: Schema): Schema | null {
  const content = part.content as Record<string, { schema: Schema }> | undefined
  return content?.['application/json']?.schema ?? null
}

/** Each with its reason: they end the session the rest is called with, or never end themselves. */
const LEFT_OUT = new Map([
  ['GET /admin/live', 'a stream'],
  ['DELETE /session', 'ends the session'],
  ['DELETE /session/sessions', 'ends the sessions'],
  ['PUT /session/password', 'ends the sessions when it hits'],
  ['PATCH /admin/users/{id}', 'may disable the caller'],
  ['PUT /admin/policy', 'may demand a second factor of the caller'],
])

/** The routes only the dashboard uses, which the document leaves out, with the schemas they declare. */
export function listDashboardOperations(routes: readonly Route[]): Operation[] {
  return routes
    .filter(({ url, schema }) => schema.hidden && /^\/(?:admin|session)\b/.test(url))
    .map(({ method, url, schema }): Operation => {
      const path = url.replaceAll(/:(\w+)/g, '{$1}')
      return {
        name: `${method} ${path}`,
        method,
        path,
        caller: 'session' as const,
        parameters: [
          ...readFields('path', schema.params),
          ...readFields('query', schema.querystring),
        ],
        body: (schema.body as Schema | undefined) ?? null,
      }
    })
    .filter(({ name }) => !LEFT_OUT.has(name))
}

function readFields(place: string, part: unknown): Parameter[] {
  const { properties = {}, required = [] } = (part ?? {}) as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: place, schema, required: place === 'path' || required.includes(name) }
  })
}

const text = (examples: string[]): Schema => ({ type: 'string', maxLength: 2000, examples })
const fields = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })

const CLIENT = { client_id: text(['app_none']), client_secret: text(['bwcs_none']) }
const REDIRECT = { redirect_uri: text(['https://app.example/callback']) }

/** Forms have no schema, so their fields stand here. */
export const FORM_OPERATIONS: readonly Operation[] = [
  form('POST', '/oauth/token', {
    grant_type: text(['authorization_code', 'refresh_token', 'password']),
    ...CLIENT,
    code: text(['bwac_none']),
    refresh_token: text(['bwrt_none']),
    ...REDIRECT,
    code_verifier: text(['x'.repeat(43)]),
  }),
  form('POST', '/oauth/revoke', { token: text(['bwat_none']), ...CLIENT }),
  form('POST', '/oauth/consent', { request: text(['none']), decision: text(['allow']) }),
  form('POST', '/login', { email: text(['ada@example.test']), password: text(['wrong']) }),
  form('POST', '/login/code', { code: text(['123456']) }),
  form('POST', '/reset', { email: text(['ada@example.test']), token: text(['none']) }),
  form('POST', '/invitation', { token: text(['none']), password: text(['violet otters sing']) }),
  {
    ...form('GET', '/oauth/authorize', {}),
    form: false,
    body: null,
    parameters: Object.entries({
      client_id: CLIENT.client_id,
      ...REDIRECT,
      response_type: text(['code', 'token']),
      scope: text(['events:read+rules:read']),
      state: text(['s']),
      code_challenge: text(['x'.repeat(43)]),
      code_challenge_method: text(['S256', 'plain']),
    }).map(([name, schema]) => ({ name, in: 'query', schema, required: false })),
  },
]

function form(method: string, path: string, properties: Record<string, Schema>): Operation {
  const name = `${method} ${path}`
  return {
    name,
    method,
    path,
    parameters: [],
    body: fields(properties),
    caller: 'nobody',
    form: true,
  }
}
