// The values an entry of the audit log holds, as words.

export function asFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

export function printValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  if (typeof value === 'string') return value
  const isList = Array.isArray(value) && value.every(one => typeof one === 'string')
  return isList && value.length > 0 ? value.join(' ') : JSON.stringify(value)
}
