// Opens the connection of a delivery: looks the host up, refuses what the guard refuses, and keeps the time.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { startDeadline } from '../platform/deadline.ts'
import { type Guard, NOT_ALLOWED } from './destination-guard.ts'
import { passOverContinue } from './pass-over-continue.ts'
import type { Address, ResolveHost } from './resolve-host.ts'

/** How far an attempt came. */
export type Stage =
  | 'destination'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'send'
  | 'headers'
  | 'body'
  | 'status'

/** What is known of an attempt while it runs; a connection used again leaves the first times null. */
export type Progress = {
  stage: Stage
  readonly began: number
  dns_ms: number | null
  connect_ms: number | null
}

/** The attempt for which a connection is being opened. */
export const opening = new AsyncLocalStorage<Progress>()

export class StageError extends Error {
  readonly stage: Stage
  constructor(stage: Stage, message: string, options?: ErrorOptions) {
    super(message, options)
    this.stage = stage
  }
}

export type ConnectOptions = { guard: Guard; resolve: ResolveHost; connect_ms: number }

/** Loaded with the first delivery, so that it does not delay every start. */
const load = createRequire(import.meta.url)
export const undici = (): typeof import('undici') => load('undici')

/** Each of several addresses but the last has this part of the time: those far away take a good part of a second. */
const PART_OF_TIME = 1 / 3
/** A name may have thousands of addresses, and is no way to have thousands of machines called. */
const MOST_OF_FAMILY = 8

const millis = (since: number) => Math.round((performance.now() - since) * 10) / 10

/** Invariant: the socket gets only addresses that were checked, and its peer is checked once more. */
export function createConnector(options: ConnectOptions): buildConnector.connector {
  const { guard, connect_ms } = options
  // One HTTP version for all receivers; the deadline below is exact, the connector's own is not.
  const open = undici().buildConnector({
    lookup: guardedLookup(options),
    allowH2: false,
    timeout: 0,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.ceil(connect_ms * PART_OF_TIME),
  } as never)
  return (wanted, callback) => {
    const progress = opening.getStore() ?? newProgress()
    const literal = isIP(wanted.hostname) !== 0
    progress.stage = literal ? 'connect' : 'dns'
    if (literal && !guard.allows(wanted.hostname)) return callback(notAllowed(), null)
    const late = () =>
      socket.destroy(new StageError(progress.stage, `no connection in ${connect_ms} ms`))
    const endWait = startDeadline(connect_ms, late)
    const ready: buildConnector.Callback = (
      ...[error, opened]: Parameters<buildConnector.Callback>
    ) => {
      endWait()
      if (error) return callback(asStageError(error, progress.stage), null)
      const peer = opened!.remoteAddress
      if (peer === undefined || !guard.allows(peer)) {
        opened!.destroy()
        return callback(peer === undefined ? closedAtOnce(progress) : notAllowed(), null)
      }
      progress.connect_ms = millis(progress.began)
      progress.stage = 'send'
      passOverContinue(opened!)
      callback(null, opened!)
    }
    const socket = opening.run(progress, () => open(wanted, ready)) as unknown as Socket
    if (wanted.protocol === 'https:') {
      socket.once('connect', () => {
        progress.stage = 'tls'
      })
    }
  }
}

function notAllowed(): StageError {
  return new StageError('destination', NOT_ALLOWED)
}

function closedAtOnce({ stage }: Progress): StageError {
  return new StageError(stage, 'connection closed by the receiver')
}

export function newProgress(): Progress {
  return { stage: 'dns', began: performance.now(), dns_ms: null, connect_ms: null }
}

/** One bad address among several refuses all: a receiver has no business answering with one. */
function guardedLookup({ guard, resolve }: ConnectOptions): LookupFunction {
  return (hostname, options, callback) => {
    const progress = opening.getStore() ?? newProgress()
    const began = performance.now()
    resolve(hostname).then(
      addresses => {
        progress.dns_ms = millis(began)
        if (addresses.length === 0) return refuse('dns', 'the host has no address')
        if (addresses.some(one => !guard.allows(one.address)))
          return refuse('destination', NOT_ALLOWED)
        progress.stage = 'connect'
        if (options.all) return callback(null, firstOfEach(addresses))
        callback(null, addresses[0]!.address, addresses[0]!.family)
      },
      error =>
        refuse('dns', `cannot resolve the host (${(error as { code?: string }).code ?? 'failed'})`),
    )

    function refuse(stage: Stage, message: string): void {
      callback(new StageError(stage, message) as NodeJS.ErrnoException, [])
    }
  }
}

/** Of both families, as not every machine can use both. */
function firstOfEach(addresses: readonly Address[]): Address[] {
  const first = (family: number) =>
    addresses.filter(one => one.family === family).slice(0, MOST_OF_FAMILY)
  const kept = new Set([...first(4), ...first(6)])
  return addresses.filter(one => kept.has(one))
}

/** Several addresses that all failed come as one error without words of its own. */
export function asStageError(error: Error, stage: Stage): StageError {
  if (error instanceof StageError) return error
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error
  if (first instanceof StageError) return first
  // TLS gives its reason apart; its message holds the library's own files and lines.
  const { code, reason: told = first.message } = first as { code?: string; reason?: string }
  // The runtime adds how to start itself otherwise, which is no use to who reads this.
  const reason = told.replace(/; if the root CA is .*/, '')
  const words = WORDS[reason] ?? WORDS[code ?? '']
  const message = words ?? (code === undefined ? reason : `${reason} (${code})`)
  return new StageError(stage, message.slice(0, 300), { cause: error })
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the receiver',
  EPIPE: 'connection closed by the receiver',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_SOCKET: 'connection closed by the receiver',
  'bad response': 'answered 100, which nobody asked for',
  'bad upgrade': 'answered 101, which nobody asked for',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
}
