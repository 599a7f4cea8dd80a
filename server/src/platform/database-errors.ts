// Which failures of the database mean "not now" (503) or "once more", told by code, never by text.

/** Driver errors and SQLSTATEs after which the same call may succeed later. */
const AWAY = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'CONNECTION_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'EARLY_END',
  'DEADLINE',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '25006',
  '53000',
  '53100',
  '53200',
  '53300',
  '53400',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '57P05',
  '58000',
  '58030',
])

const ONCE_MORE = new Set(['40001', '40P01'])

export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

export function isAway(error: unknown): boolean {
  return AWAY.has(errorCode(error))
}

export function isRetryable(error: unknown): boolean {
  return ONCE_MORE.has(errorCode(error))
}

export function isUniqueViolation(error: unknown): boolean {
  return errorCode(error) === '23505'
}
