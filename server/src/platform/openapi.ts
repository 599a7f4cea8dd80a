// The API document: OpenAPI 3.1 built from the routes themselves, so that it cannot say anything else than they do.
import type { RouteOptions } from 'fastify'
import { ErrorAnswer } from './error.schema.ts'
import type { Server } from './http.ts'
import { ERRORS, errorAnswer, HEADERS } from './openapi-answers.ts'
import {
  describeOperation,
  IDEMPOTENCY_KEY,
  type Operation,
  type Route,
  type RouteSchema,
} from './openapi-operation.ts'
import { liftSchema, type Schema } from './openapi-schemas.ts'

declare module 'fastify' {
  interface FastifySchema {
    body_optional?: boolean
    hidden?: boolean
    errors?: RouteSchema['errors']
    repeatable?: boolean
    session_only?: boolean
    shows?: RouteSchema['shows']
  }
}

/** What the document says beside the operations. */
export type About = {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly server_url: string
  /** Tags with their descriptions, in the order in which they are shown. */
  readonly tags: Readonly<Record<string, string>>
  readonly scopes: Readonly<Record<string, string>>
  /** Path items of the messages the service sends, by kind. */
  readonly webhooks?: Readonly<Record<string, Schema>>
}

export type ApiDocument = {
  readonly openapi: string
  readonly info: Schema & { title: string; version: string; description: string }
  readonly servers: readonly Schema[]
  readonly tags: readonly { name: string; description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, Schema>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

/** Notes every route registered from here on. */
export function collectRoutes(server: Server): Route[] {
  const routes: Route[] = []
  server.addHook('onRoute', options => {
    const methods = [options.method].flat().filter(method => METHODS.includes(method))
    for (const method of methods) routes.push(readRoute(method, options))
  })
  return routes
}

function readRoute(method: string, options: RouteOptions): Route {
  const config = (options.config ?? {}) as Partial<
    Pick<Route, 'scope' | 'also' | 'buckets' | 'unlimited'>
  >
  return {
    method,
    url: options.url,
    schema: (options.schema ?? {}) as RouteSchema,
    scope: config.scope,
    also: config.also ?? [],
    buckets: config.buckets ?? [],
    unlimited: config.unlimited ?? false,
  }
}

export function buildDocument(routes: readonly Route[], about: About): ApiDocument {
  const named = new Map<string, Schema>()
  liftSchema(ErrorAnswer, named)
  const shown = routes.filter(route => !route.schema.hidden)
  const paths = buildPaths(shown, about, named)
  const used = new Set(
    Object.values(paths)
      .flatMap(item => Object.values(item))
      .flatMap(op => op.tags),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version: about.version,
      description: about.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.server_url }],
    tags: Object.entries(about.tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    ...(about.webhooks ? { webhooks: liftSchema(about.webhooks, named) as never } : {}),
    components: buildComponents(about, named, JSON.stringify(paths)),
  }
}

function buildPaths(routes: readonly Route[], about: About, named: Map<string, Schema>) {
  const paths: Record<string, Record<string, Operation>> = {}
  const names = new Set<string>()
  const order = (route: Route) => `${documentPath(route.url)} ${METHODS.indexOf(route.method)}`
  for (const route of [...routes].sort((a, b) => (order(a) < order(b) ? -1 : 1))) {
    const operation = describeOperation(route, about.scopes, named)
    if (names.has(operation.operationId)) {
      throw new Error(`two operations have the name ${operation.operationId}`)
    }
    names.add(operation.operationId)
    const path = documentPath(route.url)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
  }
  return paths
}

function documentPath(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}')
}

function buildComponents(about: About, named: ReadonlyMap<string, Schema>, users: string) {
  const responses = onlyUsed(
    'responses',
    Object.entries(ERRORS).map(([status, { name }]) => [name, errorAnswer(Number(status), true)]),
    users,
  )
  return {
    schemas: Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
    responses,
    parameters: onlyUsed('parameters', [['Idempotency-Key', IDEMPOTENCY_KEY]], users),
    headers: onlyUsed('headers', Object.entries(HEADERS), users + JSON.stringify(responses)),
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key of the tenant, sent as `Authorization: Bearer <API_KEY>`.',
      },
      oauth: {
        type: 'oauth2',
        description:
          'An access token of an OAuth application, by authorization code with PKCE (S256).',
        flows: {
          authorizationCode: {
            authorizationUrl: `${base(about)}/oauth/authorize`,
            tokenUrl: `${base(about)}/oauth/token`,
            refreshUrl: `${base(about)}/oauth/token`,
            scopes: about.scopes,
          },
        },
      },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-bw_session',
        description:
          'The session of a person in the dashboard, for what no key and no app may do. Over plain http, on one ' +
          'machine, the cookie is named `bw_session`. A change also needs the header `X-CSRF-Token`.',
      },
    },
  }
}

/** A component nobody refers to is left out. */
function onlyUsed(kind: string, entries: [string, Schema][], users: string) {
  const isUsed = ([name]: [string, Schema]) => users.includes(`"#/components/${kind}/${name}"`)
  return Object.fromEntries(entries.filter(isUsed))
}

function base({ server_url }: About): string {
  return server_url.replace(/\/+$/, '')
}

/** The document as a file: the same bytes for the same routes. */
export function printDocument(document: ApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`
}
