// Every error a caller can see: its code, its status and its words stand in one table.

export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  REAUTHENTICATION_REQUIRED: 403,
  SECOND_FACTOR_REQUIRED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  DEFAULT_RULE: 409,
  JOB_RUNNING: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** One fault of an input: where it is and what to do about it. */
export type Fault = { path: string; message: string }

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly Fault[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: readonly Fault[]; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.code = code
    this.status = ERROR_STATUS[code]
    this.details = options.details
    this.headers = options.headers ?? {}
  }
}

/** So many faults of one input are told, and of each so much: an answer is never much larger than what was sent. */
export const MOST_FAULTS = 20
export const MAX_PATH_LENGTH = 200
const MAX_MESSAGE_LENGTH = 500

export function invalid(faults: readonly Fault[]): ApiError {
  const details = faults.slice(0, MOST_FAULTS).map(({ path, message }) => ({
    path: path.slice(0, MAX_PATH_LENGTH),
    message: message.slice(0, MAX_MESSAGE_LENGTH),
  }))
  const first = details[0]
  const message = first ? `${first.path}: ${first.message}` : 'the request is not valid'
  return withoutStack(() => new ApiError('VALIDATION_ERROR', message, { details }))
}

/** A caller's mistake is not looked for in our code, and taking the stacks of a batch of them is slow. */
function withoutStack<T>(make: () => T): T {
  const depth = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = depth
  }
}

export function notFound(what: string): ApiError {
  return new ApiError('NOT_FOUND', `no such ${what}`)
}

export function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', message)
}

export function unavailable(): ApiError {
  return new ApiError('UNAVAILABLE', 'the service cannot reach its database; try again shortly', {
    headers: { 'retry-after': '1' },
  })
}

/** Everything works, but more is asked than can be done. */
export function busy(): ApiError {
  return new ApiError('UNAVAILABLE', 'the service is busy; try again shortly', {
    headers: { 'retry-after': '1' },
  })
}

/** Either of these: the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAVAILABLE'
}

/** The body of every error answer. */
export function errorBody(error: ApiError, request_id: string) {
  const { code, message, details } = error
  return { error: { code, message, request_id, ...(details?.length ? { details } : {}) } }
}
