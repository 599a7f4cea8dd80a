// How a person is found in stored text: the address, the name and the ids of their events. Pure.

/** What a person may be known by in text about others. */
export type Traces = {
  readonly email: string
  /** First and last name; null where somebody else bears the same. */
  readonly name: readonly [first: string, last: string] | null
  /** What senders called their events. */
  readonly ids: readonly string[]
}

/** How they are found: roughly by PostgreSQL, which is quick as it ignores the letters around, then exactly here. */
export type TracePatterns = {
  /**
   * A pattern of PostgreSQL, matched in lower case: every text that names the person matches it, other text may too.
   */
  readonly rough: string
  readonly address: RegExp | null
  readonly words: RegExp | null
  /** Either of them in a key that somebody made up, where a hyphen is no part of the address. */
  readonly key: RegExp
}

/** What judges a text that may name the person. */
export type Exact = Omit<TracePatterns, 'rough'>

/** More ids than this are looked for in a pass of their own: each makes the pattern of the database slower. */
const FEW_IDS = 20

/** A line break and its like are a backslash and a letter in JSON, and may be %0a in an address of the web. */
const ESCAPED = '(?<=\\\\[bfnrt])|(?<=\\\\u[0-9a-f]{4})|(?<=%[0-9a-f]{2})'
/** Also an accent that stands apart from its letter. */
const LETTER = '\\p{L}\\p{M}\\p{N}'
/** Invariant: the address itself, and not a longer one that begins or ends like it. */
const ADDRESS = [`(?:(?<![${LETTER}._%+\\-])|${ESCAPED})`, `(?!\\.?[${LETTER}\\-])`] as const
const WORDS = [`(?:(?<![${LETTER}_])|${ESCAPED})`, `(?![${LETTER}_@])`] as const
const KEY = [`(?<![${LETTER}])`, `(?![${LETTER}])`] as const
/** What may stand between the parts of a name, also in a user name or an address of the web; never without end. */
const BETWEEN = '(?:[\\s._+\\-]|\\\\[nrt]|%20){1,10}'

const BEYOND_ASCII = /[^\0-\x7f]/gu

export function countPasses({ ids }: Traces): number {
  return ids.length > FEW_IDS ? 2 : 1
}

/** Of the first pass: address, name, and the ids where they are few. */
export function tracePatterns({ email, name, ids }: Traces): TracePatterns {
  const mail = spellingsOf(email).flatMap(forms)
  const own = ids.length > FEW_IDS ? [] : ids.flatMap(forms)
  const words = [...(name ? nameForms(name) : []), ...own]
  const rough = [...mail, ...(name ? spellingsOf(longestPart(name)).flatMap(forms) : []), ...own]
  return {
    rough: rough.join('|').replace(BEYOND_ASCII, inEitherCase),
    address: between(ADDRESS, mail),
    words: words.length > 0 ? between(WORDS, words) : null,
    key: between(KEY, [...mail, ...words]),
  }
}

/** Of the second: the ids that a text was found to hold. */
export function idPatterns(ids: readonly string[]): Exact {
  const own = ids.flatMap(forms)
  return { address: null, words: between(WORDS, own), key: between(KEY, own) }
}

/** Whether a name is somebody's own: in rough terms of PostgreSQL, as above, and then exactly. */
export function namePatterns(name: readonly [first: string, last: string]) {
  const rough = spellingsOf(longestPart(name)).map(escapePattern).join('|')
  const same = new RegExp(`^(?:${nameForms(name).join('|')})$`, 'iu')
  return { rough: rough.replace(BEYOND_ASCII, inEitherCase), same }
}

/** A database of LC_CTYPE C puts ASCII in lower case and nothing else. */
function inEitherCase(letter: string): string {
  if ('Σσς'.includes(letter)) return '[Σσς]'
  if ('ßẞ'.includes(letter)) return '[ßẞ]'
  const cases = [letter, letter.toLowerCase(), letter.toUpperCase()]
  return `[${[...new Set(cases)].filter(one => one.length === letter.length).join('')}]`
}

function between([beginning, end]: readonly [string, string], choices: readonly string[]): RegExp {
  return new RegExp(`${beginning}(?:${choices.join('|')})${end}`, 'giu')
}

/** The text with the alias where the address stood and `erased` where anything else did. */
export function takeOutTraces(text: string, { address, words }: Exact, alias: string) {
  const free = address ? text.replace(address, () => alias) : text
  return words ? free.replace(words, () => 'erased') : free
}

export function namesInKey(text: string, { key }: Exact): boolean {
  return text.search(key) >= 0
}

/** As it is, as it stands in JSON, and as it stands in an address of the web. */
export function writtenForms(text: string): string[] {
  return [...new Set([text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)])]
}

function forms(text: string): string[] {
  return writtenForms(text).map(escapePattern)
}

/** As it is, with every accent on its letter, and with every accent apart, as files made on a Mac hold names. */
export function spellingsOf(text: string): string[] {
  return [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])]
}

/** Every form of the name holds it: the longest of the words it is made of. */
function longestPart(name: readonly string[]): string {
  const parts = name.flatMap(one => one.trim().split(/\s+/))
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest))
}

function nameForms([first, last]: readonly [string, string]): string[] {
  const part = (text: string) =>
    `(?:${spellingsOf(text.trim())
      .flatMap(forms)
      .map(one => one.replace(/\s+/g, '\\s{1,10}'))
      .join('|')})`
  return [`${part(first)}${BETWEEN}${part(last)}`, `${part(last)},?${BETWEEN}${part(first)}`]
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
