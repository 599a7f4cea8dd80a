// How an address is found in stored text: itself and not a longer one that begins or ends like it.

/** A line break and its like are a backslash and a letter in JSON, which is no part of an address. */
const BEGINNING = '(?:(?<![[:alnum:]._%+-])|(?<=\\\\[bfnrt])|(?<=\\\\u[0-9a-f]{4}))'
const END = '(?!\\.?[[:alnum:]-])'

/** A pattern of PostgreSQL for the address as it stands in JSON; to be matched whatever the case. */
export function mentionPattern(email: string): string {
  const written = JSON.stringify(email).slice(1, -1)
  return BEGINNING + written.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + END
}
