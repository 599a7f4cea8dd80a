// Many ids in a text, in one look through it however many they are: a pattern of them all would be slower with each. Pure.
import { foldCase } from './fold-case.ts'
import { writtenForms } from './mentions.ts'

/** The ids that a text may hold, whatever stands around them. */
export type IdFinder = (text: string) => string[]

/** No id that is looked for is shorter. */
const HEAD = 6

export function createIdFinder(ids: readonly string[]): IdFinder {
  const owners = new Map<string, string>()
  const lengths = new Map<string, Set<number>>()
  for (const id of ids) {
    for (const form of writtenForms(id).map(foldCase)) {
      const head = form.slice(0, HEAD)
      owners.set(form, id)
      lengths.set(head, (lengths.get(head) ?? new Set()).add(form.length))
    }
  }
  return text => {
    const folded = foldCase(text)
    const found = new Set<string>()
    for (let at = 0; at + HEAD <= folded.length; at++) {
      for (const length of lengths.get(folded.slice(at, at + HEAD)) ?? []) {
        const id = owners.get(folded.slice(at, at + length))
        if (id !== undefined) found.add(id)
      }
    }
    return [...found]
  }
}
