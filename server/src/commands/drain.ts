// Ends a process without losing what it has accepted: signals, the deadline and the HTTP connections.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Server } from '../platform/http.ts'

/** A signal again within this time is the same one: npm passes on what the terminal already sent. */
const ECHO_MS = 1_000
/** Supervisors kill after ten seconds; better to end by our own hand before. */
const DEADLINE_MS = 9_500
const CUT_MS = 7_000
const SWEEP_MS = 100

export type Stop = {
  readonly signal: AbortSignal
  readonly requested: Promise<void>
  /** Asks for the orderly end as a first signal would. */
  request(): void
}

/** The first signal asks for an orderly end, a second one ends at once; SIGHUP: the terminal was closed. */
export function watchSignals(): Stop {
  const abort = new AbortController()
  let first = 0
  const request = () => {
    if (abort.signal.aborted) return
    first = performance.now()
    setTimeout(() => process.exit(1), DEADLINE_MS).unref()
    abort.abort()
  }
  const heard = () => {
    if (abort.signal.aborted && performance.now() - first > ECHO_MS) process.exit(1)
    request()
  }
  process.on('SIGTERM', heard).on('SIGINT', heard).on('SIGHUP', heard)
  const { signal } = abort
  const requested = new Promise<void>(resolve => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  return { signal, requested, request }
}

/** Call it before listening: it has to know every connection. */
export function followConnections(server: Server): (close: () => Promise<void>) => Promise<void> {
  const sockets = new Set<Socket>()
  const answers = new Set<ServerResponse>()
  server.server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.server.on('request', (_request, answer) => {
    answers.add(answer)
    answer.once('close', () => answers.delete(answer))
  })
  return async close => {
    for (const answer of answers) if (!answer.headersSent) answer.setHeader('connection', 'close')
    const sweep = setInterval(() => {
      server.server.closeIdleConnections()
      // Node does not count a connection as idle that has not said anything yet.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }, SWEEP_MS)
    const cut = setTimeout(() => server.server.closeAllConnections(), CUT_MS)
    await close().finally(() => {
      clearInterval(sweep)
      clearTimeout(cut)
    })
  }
}
