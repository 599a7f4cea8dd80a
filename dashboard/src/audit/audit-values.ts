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

const TURNS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g
const OTHER_WAY = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
/** Of a character that is two units long, such as an emoji. */
const HALF = /[\ud800-\udbff]$/

/** Among others in a sentence: cut, and no value turns the words after it, so that an entry could be misread. */
export function printInLine(value: unknown): string {
  const text = printValue(value).replace(TURNS, '')
  const short = text.length > 60 ? `${text.slice(0, 57).replace(HALF, '')}…` : text
  return OTHER_WAY.test(short) ? `\u2068${short}\u2069` : short
}
