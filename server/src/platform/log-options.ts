// What the log never holds: our logs name people by id only, and errors of others quote what they were given. And
// where it goes.
import pino, { type DestinationStream, type LoggerOptions } from 'pino'

/** Of an error of the database or the mail server: the row, the values, the address, the answer. */
const QUOTED = [
  ...['detail', 'where', 'hint', 'query', 'parameters', 'args', 'internal_query'],
  ...['response', 'rejected', 'rejectedErrors', 'envelope', 'command'],
]

/**
 * Any credential of ours by its form; any address, also percent-encoded as it stands in a path, in quotes (which have a
 * backslash in a line of JSON), at a host of one word and at an address of the network. Invariant: passwords within URLs
 * go first, since the end of one and its host look like an address.
 */
const HIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\b((?:postgres(?:ql)?|smtps?):\/\/[^:@/\s"]{0,64}:)[^@\s"]{1,256}@/gi, '$1[secret]@'],
  [/\\"[^"]{1,128}\\"(?=@)/g, 'quoted'],
  [/@\[[\w.:]{1,64}\]|%40%5B[\w.:%]{1,64}/gi, '@network'],
  [
    /[\p{L}\p{M}\w.+%'!#$&*^`{|}~-]{1,64}(?:@|%40)[\p{L}\p{M}\w-]{1,63}(?:\.[\p{L}\p{M}\w-]{1,63}){0,8}/gu,
    '[email]',
  ],
  [
    /(?:\b|%[0-9A-Fa-f]{2})(?:bw_[a-z]{2,4}_|bw_session=|bw_browser=v1\.|whsec_)[\w+/=-]{8,512}/g,
    '[secret]',
  ],
  [/\b(Bearer|Basic) [\w.~+/=-]{4,512}/gi, '$1 [secret]'],
  [
    /((?:[?&]|\b)(?:token|code|access_token|refresh_token|password|secret)=)[^&\s"\\]{1,512}/gi,
    '$1[secret]',
  ],
]

/** How JSON writes a line end and its like: its letter belongs to no word, and must not be torn from its backslash. */
const ESCAPES = /(\\(?:[bfnrt]|u[\da-f]{4}))/i

/** Whatever a message, a path or a stack says. Invariant: a line of JSON stays one. */
export function hidePersonal(line: string): string {
  const hide = (part: string) =>
    HIDDEN.reduce((text, [form, word]) => text.replace(form, word), part)
  return line
    .split(ESCAPES)
    .map((part, i) => (i % 2 === 0 ? hide(part) : part))
    .join('')
}

export function logOptions(level: string): LoggerOptions {
  return {
    level,
    redact: { paths: QUOTED.map(name => `err.${name}`), remove: true },
    hooks: { streamWrite: hidePersonal },
  }
}

/** What waits for room on the disk of the log; lines beyond it are lost. */
const MOST_WAITING = 1024 * 1024

/**
 * The log goes to stderr, so that stdout holds answers only. Invariant: where it cannot be written, on a full disk or a
 * terminal that is gone, lines wait or are lost, and nothing else fails.
 */
export function logDestination(): DestinationStream {
  return pino
    .destination({ dest: 2, sync: true, maxLength: MOST_WAITING })
    .on('error', () => {}) as unknown as DestinationStream
}
