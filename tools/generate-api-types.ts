// Turns the API document into the dashboard's types: every named schema, and each operation's query, body and answer.
type Schema = Record<string, unknown>
type Operation = {
  operationId: string
  parameters?: Schema[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas?: Record<string, Schema>; parameters?: Record<string, Schema> }
}

export function printTypes(document: Document): string {
  const schemas = Object.entries(document.components.schemas ?? {})
  const named = schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`)
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => printOperation(document, method, path, one)),
  )
  return [
    '// Written by npm run generate from openapi.json; not edited by hand.',
    '',
    ...named,
    `export type Operations = {\n${operations.join('\n')}\n}`,
    '',
  ].join('\n')
}

function printOperation(
  document: Document,
  method: string,
  path: string,
  operation: Operation,
): string {
  const query = (operation.parameters ?? [])
    .map(one => resolve(document, one))
    .filter(one => one.in === 'query')
    .map(one => `${key(String(one.name))}?: ${typeOf(one.schema as Schema)}`)
  const body = operation.requestBody?.content['application/json']?.schema
  const parts = [
    `query: { ${query.join('; ')} }`,
    `body: ${body ? typeOf(body) : 'undefined'}`,
    `answer: ${answerOf(operation)}`,
  ]
  return `  '${method.toUpperCase()} ${path}': { ${parts.join('; ')} }`
}

function resolve(document: Document, schema: Schema): Schema {
  const name = nameOf(schema)
  return name === null ? schema : (document.components.parameters?.[name] ?? schema)
}

/** Of several successful answers each is possible; one without a body is undefined. */
function answerOf(operation: Operation): string {
  const types = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => {
      const schema = response.content?.['application/json']?.schema
      return schema ? typeOf(schema) : 'undefined'
    })
  return [...new Set(types)].join(' | ') || 'undefined'
}

function nameOf(schema: Schema): string | null {
  const ref = schema.$ref
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : null
}

export function typeOf(schema: Schema): string {
  const name = nameOf(schema)
  if (name !== null) return name
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return union(schema.enum.map(one => JSON.stringify(one)))
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return union(choices.map(typeOf))
  if (Array.isArray(schema.allOf)) return (schema.allOf as Schema[]).map(typeOf).join(' & ')
  const kinds = [schema.type ?? 'unknown'].flat() as string[]
  return union(kinds.map(kind => typeOfKind(kind, schema)))
}

function typeOfKind(kind: string, schema: Schema): string {
  if (kind === 'integer') return 'number'
  if (kind === 'array') return `Array<${schema.items ? typeOf(schema.items as Schema) : 'unknown'}>`
  if (kind === 'object') return objectType(schema)
  return ['string', 'number', 'boolean', 'null'].includes(kind) ? kind : 'unknown'
}

function objectType(schema: Schema): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  if (properties.length === 0) return 'Record<string, unknown>'
  const required = new Set((schema.required ?? []) as string[])
  const fields = properties.map(
    ([name, one]) => `${key(name)}${required.has(name) ? '' : '?'}: ${typeOf(one)}`,
  )
  return `{ ${fields.join('; ')} }`
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  return distinct.length === 1 ? distinct[0]! : `(${distinct.join(' | ')})`
}

function key(name: string): string {
  return /^[\w$]+$/.test(name) ? name : JSON.stringify(name)
}
