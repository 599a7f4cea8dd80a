// Characters that nobody sees and by which a text is not what it seems: which of them a name may hold, and which nothing may
// by which people or departments are told apart. As parts of a class in a pattern, and as what is said of a text. Pure.

/** They turn the direction of what follows, whatever its letters: a name would read as another. */
export const TURNING = '\\u202a-\\u202e\\u2066-\\u2069'

/** All controls, and what breaks a line as a newline does. */
const BREAKING = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029'

/** What Unicode says to draw nothing for, weaker marks of direction and notes between lines: no name needs them. */
const NEEDLESS =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164' +
  '\\ufeff\\uffa0\\ufff0-\\ufffb'

/** Joiners and selectors of a variant, seen by what they do to the letter before: some scripts and emoji need them. */
const JOINING = '\\u180b-\\u180d\\u180f\\u200c\\u200d\\ufe00-\\ufe0f'

export const UNSEEN = NEEDLESS + JOINING

/** Of a name; few readers of the API's document know characters beyond four digits, so these are judged here alone. */
export const NAME = `^[^${BREAKING}${NEEDLESS}]*$`
const NEEDLESS_BEYOND =
  '\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}'
const JOINING_BEYOND = '\\u{e0100}-\\u{e01ef}'

const BREAKS = new RegExp(`[${BREAKING}]`, 'u')
const NOT_IN_NAMES = new RegExp(`[${NEEDLESS}${NEEDLESS_BEYOND}]`, 'u')
const ANYWHERE = new RegExp(`[${UNSEEN}${NEEDLESS_BEYOND}${JOINING_BEYOND}]`, 'u')
const NOTHING_SEEN = new RegExp(`^[\\s${JOINING}${JOINING_BEYOND}]*$`, 'u')

/** What is wrong with a text that people call something or somebody by, or null; whether it may be empty is asked elsewhere. */
export function nameFault(text: string): string | null {
  const isBlank = text.trim() !== '' && NOTHING_SEEN.test(text)
  return breakFault(text) ?? sayFirst(NOT_IN_NAMES, text) ?? (isBlank ? 'must not be blank' : null)
}

/** The same of a text by which things are told apart: no two of them look alike by what is not seen. */
export function keyFault(text: string): string | null {
  return breakFault(text) ?? unseenFault(text)
}

export function unseenFault(text: string): string | null {
  return sayFirst(ANYWHERE, text)
}

function breakFault(text: string): string | null {
  return BREAKS.test(text) ? 'must not contain line breaks or control characters' : null
}

function sayFirst(unseen: RegExp, text: string): string | null {
  const code = unseen.exec(text)?.[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return code === undefined ? null : `contains a character that is not seen, U+${code}`
}
