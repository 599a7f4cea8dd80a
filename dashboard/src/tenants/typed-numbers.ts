// Fields of numbers while they are typed: an emptied one is a fault, never the step before. Pure.

export type Typed = number | string

export const NO_NUMBER = 'Needs a number'

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
