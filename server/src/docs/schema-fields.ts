// A JSON Schema as rows a reader can scan: one for each field, nested ones by their dotted path.
import type { ApiDocument } from '../platform/openapi.ts'
import type { Schema } from '../platform/openapi-schemas.ts'

export type FieldRow = { name: string; type: string; required: boolean; description: string }

const DEEPEST = 4

export function resolveSchema(document: ApiDocument, schema: Schema): Schema {
  if (typeof schema.$ref !== 'string') return schema
  const [, , kind, name] = schema.$ref.split('/')
  return document.components[kind!]![name!]!
}

export function listFields(document: ApiDocument, schema: Schema, depth = 0): FieldRow[] {
  const whole = resolveSchema(document, schema)
  if (whole.type === 'array') return nested(document, whole.items as Schema, '[]', depth)
  const required = new Set((whole.required ?? []) as string[])
  return Object.entries((whole.properties ?? {}) as Record<string, Schema>).flatMap(
    ([name, raw]) => {
      const field = resolveSchema(document, raw)
      const row = {
        name,
        type: describeType(document, raw),
        required: required.has(name),
        description: String(raw.description ?? field.description ?? ''),
      }
      const list = field.type === 'array'
      const inner = list ? (field.items as Schema) : field
      return [row, ...nested(document, inner, list ? `${name}[]` : name, depth)]
    },
  )
}

function nested(document: ApiDocument, schema: Schema | undefined, prefix: string, depth: number) {
  if (!schema || depth >= DEEPEST) return []
  const rows = listFields(document, schema, depth + 1)
  return rows.map(row => ({ ...row, name: `${prefix}.${row.name}` }))
}

/** A type in a few words, with what it is bound to. */
export function describeType(document: ApiDocument, raw: Schema): string {
  const schema = resolveSchema(document, raw)
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return describeChoices(document, choices)
  if (Array.isArray(schema.enum)) {
    return orNull(schema, `one of ${schema.enum.filter(value => value !== null).join(', ')}`)
  }
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.type === 'array') {
    const items = schema.items ? describeType(document, schema.items as Schema) : 'anything'
    return `list of ${items}`
  }
  const [plain = 'anything'] = [schema.format ?? schema.type].flat() as (string | undefined)[]
  return [orNull(schema, plain), boundsOf(schema)].filter(Boolean).join(', ')
}

function orNull({ type }: Schema, words: string): string {
  return Array.isArray(type) && type.includes('null') ? `${words} or null` : words
}

function describeChoices(document: ApiDocument, choices: readonly Schema[]): string {
  const constants = choices.filter(choice => 'const' in choice)
  if (constants.length === choices.length) {
    return `one of ${constants.map(choice => String(choice.const)).join(', ')}`
  }
  return choices.map(choice => describeType(document, choice)).join(' or ')
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, maxLength } = schema
  const fallback = 'default' in schema ? `default ${JSON.stringify(schema.default)}` : ''
  const range =
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : atLeast(minimum)
  const length = maxLength === undefined ? '' : `at most ${maxLength} characters`
  return [range, length, fallback].filter(Boolean).join(', ')
}

function atLeast(minimum: unknown): string {
  return minimum === undefined ? '' : `at least ${minimum}`
}
