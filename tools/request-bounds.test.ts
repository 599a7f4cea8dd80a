// Proves that no request can hold a text or a list of any size, and that unknown fields are never taken in silence.
import Type from 'typebox'
import { expect, test } from 'vitest'
import { buildOfflineApp } from './offline-app.ts'
import { findUnbounded } from './request-bounds.ts'

const { routes } = buildOfflineApp()

test('every string, list and object of every request is bounded', () => {
  const found = routes.flatMap(({ method, url, schema }) => {
    const parts = [schema.body, schema.querystring].flatMap(part => findUnbounded(part))
    const params = (schema.params ?? {}) as { properties?: Record<string, unknown> }
    const inPath = Object.entries(params.properties ?? {}).flatMap(([name, part]) =>
      findUnbounded(part, name),
    )
    return [...parts, ...inPath].map(fault => `${method} ${url} ${fault}`)
  })
  expect(routes.length).toBeGreaterThan(10)
  expect(found).toEqual([])
})

test('every public route says which query parameters and path parameters it takes', () => {
  const silent = routes.filter(({ url, schema }) => {
    const params = (schema.params ?? {}) as { properties?: Record<string, unknown> }
    const inPath = [...url.matchAll(/:(\w+)/g)].map(match => match[1]!)
    return !schema.querystring || inPath.some(name => !params.properties?.[name])
  })
  const shown = silent.filter(route => !route.schema.hidden)
  expect(shown.map(({ method, url }) => `${method} ${url}`)).toEqual([])
})

test('what is not bounded is found, however deep it is', () => {
  const Body = Type.Object(
    {
      name: Type.String(),
      kind: Type.String({ enum: ['a', 'b'] }),
      list: Type.Array(Type.Object({ text: Type.String({ maxLength: 5 }) }), { maxItems: 3 }),
      either: Type.Union([Type.Literal('all'), Type.Array(Type.String({ maxLength: 1 }))]),
    },
    { additionalProperties: false },
  )
  expect(findUnbounded(Body)).toEqual([
    'name: no maxLength',
    'list[]: does not say whether other fields are taken',
    'either: no maxItems',
  ])
})
