// Load over HTTP with as little work per request as possible, so that the server is what is measured.
import { connect, type Socket } from 'node:net'

export type Target = { host: string; port: number }
export type Load = {
  connections: number
  seconds: number
  /** The bytes of the next request. */
  next(): string
  /** Requests per second in all; without it every connection sends as fast as it is answered. */
  rate?: number
  /** Is shown every 2xx answer. */
  seen?(answer: string): void
}
export type Outcome = {
  ok: number
  /** How each that was not 2xx was answered: its status, or that it was not. */
  refused: string[]
  latencies: number[]
  seconds: number
}

/** Several targets share the connections evenly. */
export async function putLoad(targets: readonly Target[], load: Load): Promise<Outcome> {
  const outcome: Outcome = { ok: 0, refused: [], latencies: [], seconds: load.seconds }
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, (_, i) => open(targets[i % targets.length]!)),
  )
  const start = performance.now()
  const end = start + load.seconds * 1000
  const due = paceOf(load, start)
  const runs = sockets.map(socket => drive(socket, load, end, due, outcome))
  await Promise.all(runs)
  outcome.seconds = (performance.now() - start) / 1000
  return outcome
}

/** Open loop: each request has an instant at which it is due, whether or not the last one is answered. */
function paceOf({ rate }: Load, start: number): () => number {
  let sent = 0
  return () => (rate === undefined ? 0 : start + (sent++ * 1000) / rate)
}

async function drive(
  socket: Socket,
  load: Load,
  end: number,
  due: () => number,
  outcome: Outcome,
): Promise<void> {
  const answers = readAnswers(socket)
  for (;;) {
    const at = due()
    const wait = at - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    const now = performance.now()
    if (now >= end) break
    socket.write(load.next())
    const answer = await answers()
    outcome.latencies.push(performance.now() - (at === 0 ? now : at))
    if (isGood(answer)) {
      outcome.ok++
      load.seen?.(answer)
    } else outcome.refused.push(statusOf(answer))
    if (answer === '') break
  }
  socket.destroy()
}

export function open({ host, port }: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket))
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

function statusOf(answer: string): string {
  return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'no answer'
}

function isGood(answer: string): boolean {
  return answer.startsWith('HTTP/1.1 2')
}

/** Resolves once a whole answer has arrived, with '' when the peer is gone; one request is in flight at a time. */
export function readAnswers(socket: Socket): () => Promise<string> {
  let text = ''
  let done: (answer: string) => void = () => {}
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    const head = text.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
    if (text.length < head + 4 + length) return
    const answer = text
    text = ''
    done(answer)
  })
  socket.on('close', () => done(''))
  return () =>
    new Promise(resolve => {
      if (socket.closed) resolve('')
      done = resolve
    })
}

export type Client = { send(request: string): Promise<string>; close(): void }

/** One connection for requests one after the other; an answer that is not 2xx is an error. */
export async function openClient(target: Target): Promise<Client> {
  const socket = await open(target)
  const answers = readAnswers(socket)
  return {
    send: async request => {
      socket.write(request)
      const answer = await answers()
      if (!isGood(answer)) throw new Error(`${request.split('\r\n')[0]}: ${answer || 'no answer'}`)
      return answer
    },
    close: () => void socket.destroy(),
  }
}

/** The JSON of an answer. */
export function bodyOf<T>(answer: string): T {
  return JSON.parse(Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1').toString())
}

export function postRequest(path: string, key: string, body: unknown): string {
  const json = JSON.stringify(body)
  return (
    `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
  )
}

export function getRequest(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`
}
