// Proves what the API document says of a route: all of it follows from schema and config.
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { type About, buildDocument, printDocument } from './openapi.ts'
import { operationName } from './openapi-names.ts'
import type { Route } from './openapi-operation.ts'
import { exampleOf, liftSchema, type Schema } from './openapi-schemas.ts'

const ABOUT: About = {
  title: 'T',
  version: '1',
  description: 'D',
  server_url: '/',
  tags: { Things: 'All things.', Others: 'Never used.' },
  scopes: { 'things:read': 'read things', 'things:write': 'write things' },
}

const Thing = Type.Object({ name: Type.String({ examples: ['a'] }) }, { $id: 'Thing' })
const Body = Type.Object(
  { name: Type.String() },
  { additionalProperties: false, examples: [{ name: 'b' }] },
)

const READ: Route = {
  method: 'GET',
  url: '/v1/things/:id',
  schema: {
    tags: ['Things'],
    summary: 'Get a thing',
    description: 'One thing.',
    params: Type.Object({ id: Type.String({ description: 'Its id.', examples: ['thg_1'] }) }),
    querystring: Type.Object({
      sort: Type.Optional(Type.String({ description: 'Order.', maxLength: 9 })),
      page: Type.Integer({ description: 'Page.' }),
    }),
    response: { 200: Thing },
  },
  scope: 'things:read',
  also: [],
  buckets: ['scores'],
  unlimited: false,
}

const CREATE: Route = {
  ...READ,
  method: 'POST',
  url: '/v1/things',
  schema: {
    tags: ['Things'],
    summary: 'Create a thing',
    description: 'A new one.',
    body: Body,
    response: { 201: Thing, 400: Thing },
    errors: { 404: 'Nobody has it.' },
  },
  scope: 'things:write',
  buckets: [],
}

const TAKE: Route = {
  ...READ,
  method: 'POST',
  url: '/v1/things/:id/take',
  schema: {
    ...READ.schema,
    errors: { 409: { says: 'It is taken.', code: 'JOB_RUNNING', message: 'somebody has it' } },
  },
  also: ['things:write'],
}

const HEALTH: Route = {
  ...READ,
  url: '/healthz',
  schema: { ...READ.schema, params: undefined, querystring: undefined },
  scope: undefined,
  buckets: [],
  unlimited: true,
}

const document = buildDocument([READ, CREATE, TAKE, HEALTH], ABOUT)
const operation = (path: string, method: string) => document.paths[path]![method] as any

describe('an operation', () => {
  test('has its parameters, with required ones marked and :id as {id}', () => {
    expect(operation('/v1/things/{id}', 'get').parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Its id.',
        schema: { type: 'string' },
        example: 'thg_1',
      },
      {
        name: 'sort',
        in: 'query',
        description: 'Order.',
        schema: { type: 'string', maxLength: 9 },
      },
      {
        name: 'page',
        in: 'query',
        required: true,
        description: 'Page.',
        schema: { type: 'integer' },
      },
    ])
  })

  test('names its scope for programs and in words, and its further limit', () => {
    const { security, description, ...rest } = operation('/v1/things/{id}', 'get')
    expect(rest['x-required-scope']).toBe('things:read')
    expect(security).toEqual([{ apiKey: [] }, { oauth: ['things:read'] }])
    expect(description).toContain('Requires the scope `things:read` (read things).')
    expect(description).toContain('`scores`')
    expect(operation('/healthz', 'get').security).toEqual([])
    const both = operation('/v1/things/{id}/take', 'post')
    expect(both.security[1]).toEqual({ oauth: ['things:read', 'things:write'] })
    expect(both.description).toContain('Also requires the scope `things:write` (write things).')
  })

  test('lists the errors that can come of it and no others', () => {
    const statuses = (path: string, method: string) =>
      Object.keys(operation(path, method).responses)
    const read = ['200', '400', '401', '403', '404', '429', '500', '503']
    expect(statuses('/v1/things/{id}', 'get')).toEqual(read)
    const create = ['201', '400', '401', '403', '404', '409', '413', '415', '429', '500', '503']
    expect(statuses('/v1/things', 'post')).toEqual(create)
    expect(statuses('/healthz', 'get')).toEqual(['200', '500'])
    const take = ['200', '400', '401', '403', '404', '409', '413', '415', '429', '500', '503']
    expect(statuses('/v1/things/{id}/take', 'post')).toEqual(take)
  })

  test('uses its own words for an error where it has them, else the shared answer', () => {
    const { responses } = operation('/v1/things', 'post')
    expect(responses['404'].description).toBe('Nobody has it.')
    expect(responses['400']).toEqual({ $ref: '#/components/responses/BadRequest' })
    const taken = operation('/v1/things/{id}/take', 'post').responses['409']
    expect(taken.description).toBe('It is taken.')
    expect(taken.content['application/json'].example.error).toMatchObject({
      code: 'JOB_RUNNING',
      message: 'somebody has it',
    })
  })

  test('shows the headers of its answers: a creation its Location, health no limits', () => {
    const created = Object.keys(operation('/v1/things', 'post').responses['201'].headers)
    expect(created).toEqual([
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-Request-Id',
      'Location',
    ])
    expect(Object.keys(operation('/healthz', 'get').responses['200'].headers)).toEqual([
      'X-Request-Id',
    ])
  })

  test('takes an Idempotency-Key when it creates', () => {
    const key = { $ref: '#/components/parameters/Idempotency-Key' }
    expect(operation('/v1/things', 'post').parameters).toEqual([key])
    expect(operation('/v1/things/{id}', 'get').parameters).not.toContainEqual(key)
  })

  test('carries examples of what it takes and answers', () => {
    const { requestBody, responses } = operation('/v1/things', 'post')
    expect(requestBody.content['application/json'].example).toEqual({ name: 'b' })
    expect(responses['201'].content['application/json'].example).toEqual({ name: 'a' })
  })
})

describe('the document', () => {
  test('has each named schema once, and only what is used', () => {
    expect(Object.keys(document.components.schemas!)).toEqual(['Error', 'ErrorFault', 'Thing'])
    expect(document.tags.map(tag => tag.name)).toEqual(['Things'])
    const read = buildDocument([READ], ABOUT)
    expect(read.components.parameters).toEqual({})
    expect(Object.keys(read.components.responses!)).not.toContain('Conflict')
  })

  test('leaves hidden routes out', () => {
    const hidden = { ...CREATE, schema: { ...CREATE.schema, hidden: true } }
    expect(Object.keys(buildDocument([READ, hidden], ABOUT).paths)).toEqual(['/v1/things/{id}'])
  })

  test('is the same text whatever the order of the routes', () => {
    const other = buildDocument([HEALTH, TAKE, CREATE, READ], ABOUT)
    expect(printDocument(other)).toBe(printDocument(document))
    expect(printDocument(document).endsWith('}\n')).toBe(true)
  })

  test('refuses two operations of one name and two schemas of one id', () => {
    const twin = { ...READ, schema: { ...READ.schema, operationId: 'createThing' } }
    expect(() => buildDocument([CREATE, twin], ABOUT)).toThrow('createThing')
    const Other = Type.Object({}, { $id: 'Thing' })
    const clash = { ...READ, schema: { ...READ.schema, response: { 200: Other } } }
    expect(() => buildDocument([CREATE, clash], ABOUT)).toThrow('Thing')
  })
})

test.each([
  ['GET', '/v1/employees', { 200: { properties: { pagination: {} } } }, 'listEmployees'],
  ['GET', '/v1/employees/:id', {}, 'getEmployee'],
  ['GET', '/v1/employees/by-email/:email', {}, 'getEmployeesByEmail'],
  ['POST', '/v1/employees', { 201: {} }, 'createEmployee'],
  ['POST', '/v1/rules/:id/test', { 200: {} }, 'postRuleTest'],
  ['PATCH', '/v1/policies/:id', { 200: {} }, 'updatePolicy'],
  ['DELETE', '/v1/rules/recalculate/:job_id', {}, 'deleteRulesRecalculateByJobId'],
])('%s %s has a name that stays', (method, url, answers, name) => {
  expect(operationName(method, url, answers as Record<string, Schema>)).toBe(name)
})

test('named schemas are lifted from any depth, data is left alone', () => {
  const named = new Map<string, Schema>()
  const List = Type.Object(
    { data: Type.Array(Thing) },
    { $id: 'List', examples: [{ data: [{ $id: 'not a schema' }] }] },
  )
  expect(liftSchema(Type.Optional(List), named)).toEqual({ $ref: '#/components/schemas/List' })
  expect(named.get('List')).toMatchObject({
    properties: { data: { items: { $ref: '#/components/schemas/Thing' } } },
    examples: [{ data: [{ $id: 'not a schema' }] }],
  })
})

test('an example is the own one, else a choice, else put together from the parts', () => {
  const schema = Type.Object({
    own: Type.Integer({ examples: [7] }),
    kind: Type.String({ enum: ['x', 'y'] }),
    either: Type.Union([Type.Literal('all'), Type.Null()]),
    at: Type.String({ format: 'date-time' }),
    list: Type.Array(Type.Number({ minimum: 2 })),
  })
  const at = '2026-03-02T09:00:00.000Z'
  expect(exampleOf(schema as unknown as Schema)).toEqual({
    own: 7,
    kind: 'x',
    either: 'all',
    at,
    list: [2],
  })
})
