// What a rule did lately, in words.
import { count, plural, signed } from '../ui/numbers.ts'

/** `more`: it fired more often, and these are the latest of its firings. */
export type Activity = { fired: number; people: number; effect: number; more: boolean }

export const NONE: Activity = { fired: 0, people: 0, effect: 0, more: false }

export const sayFired = ({ fired, more }: Activity): string => `${count(fired)}${more ? '+' : ''}`

export const sayPeople = ({ people, more }: Activity): string =>
  `${more ? 'the latest ' : ''}on ${plural(people, 'person', 'people')}`

export function sayActivity(did: Activity): string {
  const { fired, people, effect, more } = did
  if (fired === 0) return 'not fired in 30 days'
  const times = plural(fired, 'time')
  if (!more) return `fired ${times} ${sayPeople(did)} in 30 days, ${signed(effect)} in all`
  const who = plural(people, 'person', 'people')
  return `fired ${times} or more in 30 days, the latest ${count(fired)} on ${who}, ${signed(effect)} in all`
}

/** What all of them changed; null where not all of it was counted. */
export function sumEffects(all: readonly Activity[]): number | null {
  return all.some(did => did.more) ? null : all.reduce((sum, did) => sum + did.effect, 0)
}
