// What a request may hold is bounded: finds the parts of a request's schema that are not.

type Schema = { readonly [key: string]: unknown }

/** Paths of strings without length, lists without count and objects that take anything unsaid. */
export function findUnbounded(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const part = schema as Schema
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap(key => (part[key] ?? []) as Schema[])
  const fields = Object.entries((part.properties ?? {}) as Record<string, Schema>)
  return [
    ...judge(part).map(fault => `${path || 'body'}: ${fault}`),
    ...choices.flatMap(choice => findUnbounded(choice, path)),
    ...fields.flatMap(([name, inner]) => findUnbounded(inner, path ? `${path}.${name}` : name)),
    ...findUnbounded(part.items, `${path}[]`),
  ]
}

function judge(part: Schema): string[] {
  const types = [part.type].flat()
  const isFixed = 'enum' in part || 'const' in part
  const faults: string[] = []
  if (types.includes('string') && !isFixed && part.maxLength === undefined)
    faults.push('no maxLength')
  if (types.includes('array') && part.maxItems === undefined) faults.push('no maxItems')
  if (types.includes('object') && part.additionalProperties === undefined) {
    faults.push('does not say whether other fields are taken')
  }
  return faults
}
