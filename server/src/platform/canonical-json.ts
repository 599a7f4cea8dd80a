// One text for all ways to write a JSON value: what differs in spaces, escapes or the order of keys is the same.

/** Of what has been read as a body before: it is JSON, or nothing, and of bounded depth. */
export function canonicalJson(text: string): string {
  const json = text.replace(/^\ufeff/, '')
  return json === '' ? '' : JSON.stringify(inOrder(JSON.parse(json)))
}

/** Many objects are in order already; the others are made anew, without a prototype, so that every key is only a key. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  const parts = value as Record<string, unknown>
  const keys = Object.keys(parts)
  for (const key of keys) parts[key] = inOrder(parts[key])
  if (keys.every((key, i) => i === 0 || keys[i - 1]! < key)) return parts
  const ordered: Record<string, unknown> = Object.create(null)
  for (const key of keys.sort()) ordered[key] = parts[key]
  return ordered
}
