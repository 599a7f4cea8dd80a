// A number with its noun, as a person reads it. Pure.

export function countOf(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`
}
