// What of a form was changed: only that is sent, so that two people who change different things both succeed. Pure.

export function changedFields<T extends object>(before: T, after: T): Partial<T> {
  const names = Object.keys(after) as (keyof T)[]
  const changed = names.filter(name => !sameValue(before[name], after[name]))
  return Object.fromEntries(changed.map(name => [name, after[name]])) as Partial<T>
}

/** As JSON, in which the order of names means nothing. */
export function sameValue(a: unknown, b: unknown): boolean {
  return print(a) === print(b)
}

const print = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
