// JSON Schemas as the API document needs them: named ones lifted into components, an example for each.

export type Schema = { readonly [key: string]: unknown }

const NAME = /^[A-Za-z0-9._-]+$/

/** Keywords whose value is data, in which nothing is a schema. */
const DATA = new Set(['examples', 'example', 'default', 'const', 'enum', 'required'])

/** A schema whose form is told in the document alone: the operation judges it, and tells of all faults at once. */
export const formTold = <T extends object>(schema: T, form: Schema): T => ({
  ...schema,
  [FORM]: form,
})

const FORM = 'x-form'

/** Copies a schema; each part with an `$id` moves into `named` and leaves a reference. */
export function liftSchema(schema: unknown, named: Map<string, Schema>): Schema {
  return lift(schema, named) as Schema
}

function lift(value: unknown, named: Map<string, Schema>): unknown {
  if (Array.isArray(value)) return value.map(item => lift(item, named))
  if (typeof value !== 'object' || value === null) return value
  const { $id, [FORM]: form, ...rest } = value as Schema
  const lifted = Object.fromEntries(
    Object.entries({ ...rest, ...(form as Schema) }).map(([key, inner]) => [
      key,
      DATA.has(key) ? inner : lift(inner, named),
    ]),
  )
  if (typeof $id !== 'string') return lifted
  addNamed($id, lifted, named)
  return { $ref: `#/components/schemas/${$id}` }
}

function addNamed(name: string, schema: Schema, named: Map<string, Schema>): void {
  if (!NAME.test(name))
    throw new Error(`the schema id ${name} cannot be a name in the API document`)
  const known = named.get(name)
  if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`two different schemas have the id ${name}`)
  }
  named.set(name, schema)
}

/** Stands where a string has no example; a test finds it. */
export const FILLER = 'text'

/** An example of what a schema allows: its own if it has one, else put together from its parts. */
export function exampleOf(schema: Schema): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0]
  for (const key of ['example', 'const', 'default']) if (key in schema) return schema[key]
  if (Array.isArray(schema.enum)) return schema.enum[0]
  for (const key of ['anyOf', 'oneOf'] as const) {
    const choices = schema[key]
    if (Array.isArray(choices)) return exampleOf(choices[0] as Schema)
  }
  if (Array.isArray(schema.allOf)) {
    return Object.assign({}, ...schema.allOf.map(part => exampleOf(part as Schema)))
  }
  return exampleByType(schema)
}

function exampleByType(schema: Schema): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return exampleObject(schema)
  if (type === 'array') return schema.items ? [exampleOf(schema.items as Schema)] : []
  if (type === 'string') return STRINGS[String(schema.format)] ?? FILLER
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0
  if (type === 'boolean') return true
  return null
}

function exampleObject(schema: Schema): unknown {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  return Object.fromEntries(properties.map(([name, inner]) => [name, exampleOf(inner)]))
}

const STRINGS: Record<string, string> = {
  'date-time': '2026-03-02T09:00:00.000Z',
  date: '2026-03-02',
  email: 'ada.moss@example.com',
  uri: 'https://example.com/hook',
}
