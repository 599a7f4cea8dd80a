// Fields of numbers while they are typed: an emptied one is a fault, never the step before. Pure.

export type Typed = number | string

export const NO_NUMBER = 'Needs a number'

/** What is typed now, without what was typed so before already. */
export function typedSince<Name extends string>(
  now: Partial<Record<Name, Typed>>,
  before: Partial<Record<Name, Typed>>,
): Partial<Record<Name, Typed>> {
  const later = Object.entries(now).filter(([name, value]) => before[name as Name] !== value)
  return Object.fromEntries(later) as Partial<Record<Name, Typed>>
}

export function readTyped<Name extends string>(
  names: readonly Name[],
  saved: Readonly<Record<Name, number>>,
  draft: Partial<Record<Name, Typed>>,
) {
  const fill = <T>(value: (name: Name) => T) =>
    Object.fromEntries(names.map(name => [name, value(name)])) as Record<Name, T>
  const typed = fill<Typed>(name => draft[name] ?? saved[name])
  return {
    typed,
    /** What was saved stands in for what is no number. */
    values: fill(name => (typeof typed[name] === 'number' ? typed[name] : saved[name])),
    changed: names.filter(name => typed[name] !== saved[name]),
    faults: names.filter(name => typeof typed[name] !== 'number'),
  }
}
