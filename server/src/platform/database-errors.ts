// Which failures of the database mean "not now" (503) or "once more", told by code, never by text.

/** Invariant: the one table of driver errors and SQLSTATEs after which the same call may succeed later. */
export const AWAY: Readonly<Record<string, string>> = {
  CONNECTION_CLOSED: 'the connection ended under a query',
  CONNECTION_ENDED: 'the pool is being closed',
  CONNECTION_DESTROYED: 'the pool was closed',
  CONNECT_TIMEOUT: 'no connection in time',
  CONNECTION_CONNECT_TIMEOUT: 'no connection in time',
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the peer has reset the connection',
  ECONNABORTED: 'the connection was given up',
  EPIPE: 'the peer no longer reads',
  ENOENT: 'there is no socket: the server is being started',
  ENOTFOUND: 'the host name is not known now',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: 'no way to the host',
  ENETUNREACH: 'no way to the network',
  ETIMEDOUT: 'the peer has not answered',
  EMFILE: 'this process has as many files and connections open as it may (ulimit -n)',
  ENFILE: 'this machine has as many files open as it can',
  EADDRNOTAVAIL: 'this machine has no port left for another connection',
  EARLY_END: 'the peer closed the connection before it said anything',
  NO_TLS: 'the server offers no TLS, which sslmode asks for',
  DEADLINE: 'no answer within our own deadline',
  '08000': 'connection exception',
  '08001': 'the connection could not be made',
  '08003': 'the connection does not exist',
  '08004': 'the connection was refused',
  '08006': 'connection failure',
  '25006': 'the server is read-only: a standby, or a failover is under way',
  '25P03': 'the transaction stood still for too long',
  '25P04': 'the transaction took too long',
  '53000': 'insufficient resources',
  '53100': 'the disk is full',
  '53200': 'out of memory',
  '53300': 'too many connections',
  '53400': 'a configured limit was reached',
  '55P03': 'a lock was not available',
  '57014': 'the statement took too long',
  '57P01': 'the server is being shut down',
  '57P02': 'the server has crashed',
  '57P03': 'the server is starting up or recovering',
  '57P04': 'the database was dropped',
  '57P05': 'the session was idle for too long',
  '58000': 'a system error of the server',
  '58030': 'the server could not read or write a file',
}

const ONCE_MORE = new Set(['40001', '40P01'])

export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

export function isAway(error: unknown): boolean {
  return Object.hasOwn(AWAY, errorCode(error))
}

export function isRetryable(error: unknown): boolean {
  return ONCE_MORE.has(errorCode(error))
}

const TOO_LONG = new Set(['57014', '25P04', 'DEADLINE'])

/** Whether what was unavailable is a database that took too long, which it may do with the same work for ever. */
export function wasTooSlow(error: unknown): boolean {
  return TOO_LONG.has(errorCode((error as { cause?: unknown } | null)?.cause))
}

/** Whether what was unavailable says something of the work it stopped; otherwise all other work is stopped as well. */
export function isOfOneWork(error: unknown): boolean {
  return wasTooSlow(error) || isLockTimeout((error as { cause?: unknown } | null)?.cause)
}

/** A wait for a lock that was bounded has ended without it. */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === '55P03'
}

/** Why what is unavailable is so, in words for an operator; null: there is nothing behind it. */
export function sayCause({ cause }: { readonly cause?: unknown }): string | null {
  return AWAY[errorCode(cause)] ?? (cause instanceof Error ? cause.message : null)
}
