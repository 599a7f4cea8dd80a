// What is wrong with a value, in words a person can act on instead of the validator's.
import type { ErrorObject } from 'ajv'
import { countOf } from './counted.ts'

const patterns = new Map<string, string>()

/** A pattern, and what is said of a text that does not fit it. */
export function patternSaid(pattern: string, words: string): string {
  patterns.set(pattern, words)
  return pattern
}

/** For code that judges by more than the pattern, and says the same. */
export function wordsOf(pattern: string): string {
  return patterns.get(pattern) ?? NO_WORDS
}

/** Of a text that must say something. */
export const NOT_BLANK = patternSaid('\\S', 'must not be blank')

export const NO_WORDS = 'is not valid'

export function sayFault({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'enum':
      return sayChoices(params.allowedValues)
    case 'type':
      return params.type === 'boolean' ? 'must be true or false' : (message ?? NO_WORDS)
    case 'minLength':
      return `must have at least ${countOf(params.limit, 'character')}`
    case 'maxLength':
      return `must have at most ${countOf(params.limit, 'character')}`
    case 'minItems':
      return `must have at least ${countOf(params.limit, 'item')}`
    case 'maxItems':
      return `must have at most ${countOf(params.limit, 'item')}`
    case 'uniqueItems':
      return 'must not have the same item twice'
    case 'minProperties':
      return `must have at least ${countOf(params.limit, 'field')}`
    case 'pattern':
      return patterns.get(params.pattern) ?? message ?? NO_WORDS
    default:
      return message ?? NO_WORDS
  }
}

function sayChoices(values: readonly unknown[]): string {
  return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`
}
