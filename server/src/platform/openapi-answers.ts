// The answers every operation shares in the API document: its headers and its errors.
import type { ErrorCode } from './errors.ts'
import type { Schema } from './openapi-schemas.ts'

export type Answer = Schema

const whole = (description: string, example: number): Schema => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
})
const text = (description: string, example: string): Schema => ({
  description,
  schema: { type: 'string' },
  example,
})

export const HEADERS: Record<string, Schema> = {
  'X-RateLimit-Limit': whole('Requests per minute.', 300),
  'X-RateLimit-Remaining': whole('Requests left; counts down from the limit.', 299),
  'X-RateLimit-Reset': whole('When the bucket is full again, in Unix seconds.', 1_772_442_001),
  'X-Request-Id': text(
    'Names this request; the same as request_id in an error.',
    'req_0mm8o8c001yq7x',
  ),
  'Retry-After': whole('Seconds to wait before the next try.', 1),
  Location: text('Where the new resource is.', '/v1/rules/rule_0mm8o8c001yq7x'),
  'WWW-Authenticate': text(
    'How to send a credential, and what is wrong with the one that was sent (RFC 6750).',
    'Bearer error="invalid_token"',
  ),
}

const RATE = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** References to the headers of an answer. */
export function headersOf(limited: boolean, more: readonly string[] = []): Schema {
  const names = [...(limited ? RATE : []), 'X-Request-Id', ...more]
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

type ErrorKind = {
  readonly name: string
  readonly code: ErrorCode
  readonly description: string
  readonly message: string
  readonly headers?: readonly string[]
}

export const ERRORS: Record<number, ErrorKind> = {
  400: {
    name: 'BadRequest',
    code: 'VALIDATION_ERROR',
    description: 'The request is not valid; `details` names each fault.',
    message: 'page: must be >= 1',
  },
  401: {
    name: 'Unauthorized',
    code: 'UNAUTHORIZED',
    description: 'The credential is missing, unknown, expired or revoked.',
    message: 'the credential is not valid: unknown, expired or revoked',
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    code: 'FORBIDDEN',
    description: 'The credential is valid but lacks the scope, which the message names.',
    message: 'this credential lacks the scope rules:write',
    headers: ['WWW-Authenticate'],
  },
  404: {
    name: 'NotFound',
    code: 'NOT_FOUND',
    description: 'There is no such thing in this tenant.',
    message: 'no such rule',
  },
  409: {
    name: 'Conflict',
    code: 'CONFLICT',
    description: 'The request contradicts what is there; the code and the message say how.',
    message: 'this Idempotency-Key was used with another body or query; use a new key',
  },
  413: {
    name: 'PayloadTooLarge',
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The body is larger than 256 KiB, or a batch of events than 4 MiB.',
    message: 'the body is larger than 256 KiB',
  },
  415: {
    name: 'UnsupportedMediaType',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The body is not sent as JSON.',
    message: 'send Content-Type: application/json',
  },
  429: {
    name: 'RateLimited',
    code: 'RATE_LIMITED',
    description: 'A limit is spent; `Retry-After` says when to try again.',
    message: 'too many requests; try again in 1 s',
    headers: ['Retry-After'],
  },
  500: {
    name: 'InternalError',
    code: 'INTERNAL_ERROR',
    description: 'Something went wrong on our side.',
    message: 'something went wrong on our side; quote the request_id',
  },
  503: {
    name: 'Unavailable',
    code: 'UNAVAILABLE',
    description: 'The service is busy or cannot reach its database; try again shortly.',
    message: 'the service cannot reach its database; try again shortly',
    headers: ['Retry-After'],
  },
}

/** What an operation says of one of its own errors. */
export type ErrorWords = {
  readonly says: string
  readonly message: string
  readonly code?: ErrorCode
}

const REQUEST_ID = 'req_0mm8o8c001q7xk3m2p5aw9'

/** An error answer with its own words, or the usual ones. */
export function errorAnswer(status: number, limited: boolean, own?: string | ErrorWords): Answer {
  const kind = ERRORS[status]
  if (!kind) throw new Error(`the API document has no error for status ${status}`)
  const { says, ...words } = typeof own === 'object' ? own : { says: own }
  const { code, message } = { ...kind, ...words }
  const details = status === 400 ? { details: [{ path: 'page', message: 'must be >= 1' }] } : {}
  return {
    description: says ?? kind.description,
    headers: headersOf(limited, kind.headers),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { error: { code, message, request_id: REQUEST_ID, ...details } },
      },
    },
  }
}
