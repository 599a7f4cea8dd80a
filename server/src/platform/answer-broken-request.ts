// A request that could not even be parsed, or never came to its end, still gets an answer in the shape of all others.
import type { Socket } from 'node:net'
import { systemClock } from './clock.ts'
import { ApiError, errorBody } from './errors.ts'
import { newId } from './ids.ts'
import type { SafeHeaders } from './safe-headers.ts'

type Limits = { limitHeadersOf(address: string): Promise<Record<string, string>> }
type ParseError = Error & { code?: string }

const BROKEN = { status: '400 Bad Request', message: 'the request is not valid HTTP' }
const KNOWN: Readonly<Record<string, typeof BROKEN>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'the headers are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'the request took too long to arrive',
  },
}

export function createBrokenRequestHandler(safe: SafeHeaders) {
  return async function answer(this: Limits, error: ParseError, socket: Socket): Promise<void> {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const { status, message } = KNOWN[error.code ?? ''] ?? BROKEN
    const request_id = newId('req', systemClock.now())
    const body = JSON.stringify(errorBody(new ApiError('VALIDATION_ERROR', message), request_id))
    // Without the database there is no limit to tell of; the answer itself needs none.
    const limits = await this.limitHeadersOf(socket.remoteAddress ?? '').catch(() => ({}))
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': request_id,
      ...limits,
      ...safe,
      connection: 'close',
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
  }
}
