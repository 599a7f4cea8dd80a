// Form bodies, taken only where a page or the standard of OAuth posts one: each field at most once.

import type { FastifyInstance } from 'fastify'
import { invalid } from './errors.ts'

export type Form = {
  /** The field's text, or '' when it was not sent. */
  get(name: string): string
  /** Whether it has a value: RFC 6749 (3.1, 3.2) treats a parameter without one as not sent. */
  has(name: string): boolean
  /** Names that were sent more than once. */
  readonly repeated: readonly string[]
  /** No text of ours can hold the character, and the database refuses it. */
  readonly holds_nul: boolean
}

const NUL = invalid([{ path: 'body', message: 'contains a NUL character' }])

const MOST_FIELDS = 50
export const LONGEST_FORM = 32 * 1024

export function readForm(text: string): Form {
  const pairs = [...new URLSearchParams(text)].slice(0, MOST_FIELDS)
  const values = new Map(pairs)
  const names = pairs.map(([name]) => name)
  const repeated = [...new Set(names.filter((name, i) => names.indexOf(name) !== i))]
  const holds_nul = pairs.flat().some(part => part.includes('\u0000'))
  const get = (name: string) => values.get(name) ?? ''
  return { get, has: name => get(name) !== '', repeated, holds_nul }
}

/** Within this part of the server a body is a form and nothing else. */
export function takeForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: LONGEST_FORM } as const
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    options,
    (_request, body, done) => {
      const form = readForm(body as unknown as string)
      done(form.holds_nul ? NUL : null, form)
    },
  )
}

export function formOf(request: { body: unknown }): Form {
  return (request.body as Form | undefined) ?? readForm('')
}
