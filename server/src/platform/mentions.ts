// How a person is found in stored text: the address, the name and the ids of their events. Pure.

/** What a person may be known by in text about others. */
export type Traces = {
  readonly email: string
  /** First and last name; null where somebody else bears the same. */
  readonly name: readonly [first: string, last: string] | null
  /** What senders called their events. */
  readonly ids: readonly string[]
}

/** Patterns of PostgreSQL, to be matched whatever the case; null where there is nothing to look for. */
export type TracePatterns = {
  readonly address: string | null
  readonly words: string | null
  /** The same in a key that somebody made up, where a hyphen is no part of the address. */
  readonly key: string
  /** Either of them. */
  readonly any: string
}

/** More ids than this are looked for in another pass, so that no pattern grows too large. */
const IDS_PER_PASS = 100

/** A line break and its like are a backslash and a letter in JSON, and may be %0a in an address of the web. */
const ESCAPED = '(?<=\\\\[bfnrt])|(?<=\\\\u[0-9a-f]{4})|(?<=%[0-9a-f]{2})'
/** Invariant: the address itself, and not a longer one that begins or ends like it. */
const ADDRESS = [`(?:(?<![[:alnum:]._%+-])|${ESCAPED})`, '(?!\\.?[[:alnum:]-])'] as const
const WORDS = [`(?:(?<![[:alnum:]_])|${ESCAPED})`, '(?![[:alnum:]_@])'] as const
const KEY = ['(?<![[:alnum:]])', '(?![[:alnum:]])'] as const
/** What may stand between the parts of a name, also in a user name or an address of the web. */
const BETWEEN = '(?:[[:space:]._+-]|\\\\[nrt]|%20)+'

export function countPasses({ ids }: Traces): number {
  return Math.max(1, Math.ceil(ids.length / IDS_PER_PASS))
}

/** Address and name are looked for in the first pass. */
export function tracePatterns(traces: Traces, pass: number): TracePatterns {
  const ids = traces.ids.slice(pass * IDS_PER_PASS, (pass + 1) * IDS_PER_PASS)
  const first = pass === 0
  const words = [...(first && traces.name ? nameForms(traces.name) : []), ...ids.flatMap(forms)]
  const mail = first ? forms(traces.email) : []
  const address = first ? between(ADDRESS, mail) : null
  const either = words.length > 0 ? between(WORDS, words) : null
  const any = [address, either].filter(one => one !== null).join('|')
  return { address, words: either, any, key: between(KEY, [...mail, ...words]) }
}

function between([beginning, end]: readonly [string, string], choices: readonly string[]): string {
  return `${beginning}(?:${choices.join('|')})${end}`
}

/** As it is, as it stands in JSON, and as it stands in an address of the web. */
function forms(text: string): string[] {
  const written = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]
  return [...new Set(written)].map(escapePattern)
}

function nameForms([first, last]: readonly [string, string]): string[] {
  const part = (text: string) =>
    `(?:${forms(text.trim())
      .map(one => one.replace(/\s+/g, '[[:space:]]+'))
      .join('|')})`
  return [`${part(first)}${BETWEEN}${part(last)}`, `${part(last)},?${BETWEEN}${part(first)}`]
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
