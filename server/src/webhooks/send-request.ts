// One HTTP request of a delivery: a deadline for all of it, no redirects, an answer cut at 64 KiB, never an exception.
import type { Agent, Dispatcher } from 'undici'
import { startDeadline } from '../platform/deadline.ts'
import type { Guard } from './destination-guard.ts'
import {
  asStageError,
  createConnector,
  newProgress,
  opening,
  type Progress,
  type Stage,
  StageError,
  undici,
} from './open-connection.ts'
import type { ResolveHost } from './resolve-host.ts'

export const MOST_BODY = 64 * 1024
export const DEADLINES: Deadlines = { connect_ms: 3_000, total_ms: 10_000 }

export type Deadlines = { readonly connect_ms: number; readonly total_ms: number }

export type Reply = {
  /** Null when no answer came. */
  status: number | null
  headers: Record<string, string | string[]>
  body: Buffer
  truncated: boolean
  /** Null for a 2xx. */
  error: { stage: Stage; message: string } | null
  dns_ms: number | null
  connect_ms: number | null
  first_byte_ms: number | null
  total_ms: number
}

export type OutgoingRequest = { url: string; headers: Record<string, string>; body: string }

export type Sender = {
  send(request: OutgoingRequest): Promise<Reply>
  close(): Promise<void>
}

export function createSender(options: {
  guard: Guard
  resolve: ResolveHost
  deadlines: Deadlines
}): Sender {
  const { guard, resolve, deadlines } = options
  let agents: Agents | undefined
  const openAgents = () => {
    const connect = createConnector({ guard, resolve, connect_ms: deadlines.connect_ms })
    // Our own deadline covers the whole exchange, so the parts need none.
    const waits = { connect, headersTimeout: 0, bodyTimeout: 0 }
    const { Agent } = undici()
    const keeping = new Agent({ ...waits, keepAliveTimeout: 4_000 })
    agents = { keeping, fresh: new Agent({ ...waits, pipelining: 0 }) }
    return agents
  }
  return {
    send: request =>
      new Promise(resolve =>
        exchange(agents ?? openAgents(), request, deadlines.total_ms, resolve),
      ),
    close: async () => {
      await Promise.all([agents?.keeping.destroy(), agents?.fresh.destroy()])
    },
  }
}

/** One keeps connections for the next request, the other opens one for each. */
type Agents = { readonly keeping: Agent; readonly fresh: Agent }

function exchange(
  agents: Agents,
  { url, headers, body }: OutgoingRequest,
  total_ms: number,
  settle: (reply: Reply) => void,
): void {
  const progress = newProgress()
  const answer = { ...EMPTY, chunks: [] as Buffer[], size: 0 }
  let controller: Dispatcher.DispatchController | null = null
  let settled = false
  let sentAgain = false
  const endWait = startDeadline(total_ms, () => {
    const missed = progress.stage === 'body' ? 'the answer has not ended' : 'no answer'
    fail(new StageError(progress.stage, `${missed} in ${total_ms} ms`))
  })

  /** The slot is free from here on, whatever the connection still does. */
  function finish(error: StageError | null): void {
    if (settled) return
    settled = true
    endWait()
    settle(buildReply(answer, progress, error))
  }
  function fail(error: StageError): void {
    finish(error)
    controller?.abort(error)
  }
  const { origin, pathname, search } = new URL(url)
  const request = { origin, path: pathname + search, method: 'POST' as const, headers, body }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: started => {
      controller = started
      if (settled) return started.abort(new StageError(progress.stage, 'too late'))
      progress.stage = 'headers'
    },
    onResponseStart: (_, status, received) => {
      if (status < 200) return
      progress.stage = 'body'
      answer.status = status
      answer.headers = received as Reply['headers']
      answer.first_byte_ms = elapsed(progress)
    },
    onResponseData: (_, chunk) => {
      answer.chunks.push(chunk)
      answer.size += chunk.length
      if (answer.size <= MOST_BODY) return
      answer.truncated = true
      finish(null)
      controller?.abort(new StageError('body', 'enough read'))
    },
    onResponseEnd: () => finish(null),
    onResponseError: (_, error) => {
      const failed = asStageError(error, progress.stage)
      if (settled || sentAgain || !wasClosedUnused(failed, progress)) return finish(failed)
      sentAgain = true
      dispatch(agents.fresh)
    },
  }
  dispatch(agents.keeping)

  function dispatch(agent: Agent): void {
    try {
      opening.run(progress, () => agent.dispatch(request, handler))
    } catch (error) {
      finish(asStageError(error as Error, 'send'))
    }
  }
}

const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** Whether a kept connection was closed before any answer: who closes an idle one has most likely not read the request. */
function wasClosedUnused({ cause }: StageError, { stage, connect_ms }: Progress): boolean {
  const { code = '' } = (cause ?? {}) as { code?: string }
  return connect_ms === null && stage === 'headers' && CLOSED.has(code)
}

type Answer = Pick<Reply, 'status' | 'headers' | 'truncated' | 'first_byte_ms'>
const EMPTY: Answer = { status: null, headers: {}, truncated: false, first_byte_ms: null }

/** What is recorded of an attempt that could not even be made. */
export function unsent(why: string): Reply {
  const error = new StageError('send', why)
  return buildReply({ ...EMPTY, chunks: [] }, newProgress(), error)
}

function elapsed({ began }: Progress): number {
  return Math.round((performance.now() - began) * 10) / 10
}

function buildReply(
  answer: Answer & { chunks: Buffer[] },
  progress: Progress,
  error: StageError | null,
): Reply {
  const { status, headers, truncated, first_byte_ms, chunks } = answer
  const { dns_ms, connect_ms } = progress
  return {
    status,
    headers,
    truncated,
    first_byte_ms,
    body: Buffer.concat(chunks).subarray(0, MOST_BODY),
    error: error ? describeError(error) : judgeStatus(status),
    dns_ms,
    connect_ms,
    total_ms: elapsed(progress),
  }
}

function describeError({ stage, message }: StageError) {
  return { stage, message: stage === 'destination' ? message : `${stage}: ${message}` }
}

function judgeStatus(status: number | null): Reply['error'] {
  if (status === null) return { stage: 'headers', message: 'headers: no answer' }
  if (status >= 200 && status < 300) return null
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : ''
  return { stage: 'status', message: `status: answered ${status}${redirect}` }
}
