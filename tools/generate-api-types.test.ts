// Holds the dashboard's types to the API document.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Document, printTypes, typeOf } from './generate-api-types.ts'
import { buildOfflineDocument } from './offline-app.ts'

const FILE = new URL('../dashboard/src/generated/api.ts', import.meta.url)

test('the committed types are the ones the routes give', () => {
  const fresh = printTypes(buildOfflineDocument() as unknown as Document)
  const isFresh = readFileSync(FILE, 'utf8') === fresh
  expect(isFresh, 'dashboard/src/generated/api.ts is stale: run npm run generate').toBe(true)
})

test('schemas become the types a reader would write', () => {
  const person = {
    type: 'object',
    properties: { id: { type: 'string' }, age: { type: ['integer', 'null'] } },
    required: ['id'],
  }
  expect(typeOf(person)).toBe('{ id: string; age?: (number | null) }')
  expect(typeOf({ type: 'array', items: { enum: ['a', 'b'] } })).toBe('Array<("a" | "b")>')
  expect(typeOf({ $ref: '#/components/schemas/Rule' })).toBe('Rule')
  expect(typeOf({ type: 'object', additionalProperties: true })).toBe('Record<string, unknown>')
})
