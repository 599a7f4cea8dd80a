// The HTTP server before any slice: strict bodies, one error shape, request ids, safe headers.
import { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import { createBrokenRequestHandler } from './answer-broken-request.ts'
import { boundPages } from './bound-pages.ts'
import type { Context } from './context.ts'
import { ApiError, type ErrorCode, errorBody, invalid } from './errors.ts'
import { newId } from './ids.ts'
import { type ItemsApart, parseJsonBody } from './json-body.ts'
import { CUT_OFF, createRefusalLog, isCutOff, type LogRefusal } from './log-refusals.ts'
import { observeRequests } from './observe-requests.ts'
import { safeHeaders } from './safe-headers.ts'
import { serializerCompiler } from './serialization.ts'
import { turnAway } from './turn-away.ts'
import { readFaults, validatorCompiler } from './validation.ts'

export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as received, for comparing repeated requests. */
    rawBody: Buffer | null
  }
  interface FastifyContextConfig {
    /** A list in the body whose items fail one by one: a bad one arrives as its ApiError. */
    items_apart?: ItemsApart
    /** Its answer says the same whatever stands in the URL, which is for the page it gives to judge. */
    any_url?: boolean
  }
  interface FastifyInstance {
    /** What the limits of an address say of a request too broken for any hook; the guard hands it in. */
    limitHeadersOf(address: string): Promise<Record<string, string>>
    /** For those who answer errors in a form of their own. */
    logRefusal: LogRefusal
  }
}

export const BODY_LIMIT = 256 * 1024
export const BATCH_BODY_LIMIT = 4 * 1024 * 1024

/** How long a client may take; one that sends a byte now and then, or does not read, is cut off. */
export const PATIENCE = {
  headers_ms: 10_000,
  request_ms: 30_000,
  idle_ms: 30_000,
  between_ms: 72_000,
  look_ms: 2_000,
}

export function createServer(context: Context, patience = PATIENCE): Server {
  const safe = safeHeaders(context.config)
  const server = Fastify({
    loggerInstance: context.log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    bodyLimit: BODY_LIMIT,
    http: {
      headersTimeout: patience.headers_ms,
      requestTimeout: patience.request_ms,
      connectionsCheckingInterval: patience.look_ms,
      // Node's own refusal has neither our shape nor our headers.
      requireHostHeader: false,
    },
    requestTimeout: patience.request_ms,
    connectionTimeout: patience.idle_ms,
    keepAliveTimeout: patience.between_ms,
    forceCloseConnections: 'idle',
    // What still arrives on an open connection while draining is served, with `Connection: close`.
    return503OnClosing: false,
    trustProxy: context.config.trust_proxy ?? false,
    genReqId: () => newId('req', context.clock.now()),
    // Longer than any request line: the schemas judge lengths, after the guard.
    routerOptions: { maxParamLength: 64 * 1024 },
    // The framework would answer an unreadable URL before every hook, so without limits or headers.
    rewriteUrl: request => {
      const { url = '/' } = request
      return isReadable(url) && hasOneHost(request) ? url : UNREADABLE
    },
    clientErrorHandler: createBrokenRequestHandler(safe),
  }).withTypeProvider<TypeBoxTypeProvider>()
  server.decorateRequest('rawBody', null)
  server.decorate('limitHeadersOf', async () => ({}))
  server.decorate('logRefusal', createRefusalLog(context.clock))
  turnAway(server, safe, () => newId('req', context.clock.now()))
  // An expectation we do not know is passed over, as RFC 9110 allows: the request itself is judged as any other.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  server.setValidatorCompiler(validatorCompiler)
  server.setSerializerCompiler(serializerCompiler)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    request.rawBody = body as Buffer
    try {
      checkEncoding(request)
      done(null, parseJsonBody(body as Buffer, request.routeOptions.config.items_apart))
    } catch (error) {
      done(error as Error)
    }
  })
  observeRequests(server)
  server.addHook('onRequest', async (request, reply) => {
    reply.raw.on('timeout', cutOnceBegun)
    reply.headers({ 'x-request-id': request.id, ...safe })
  })
  server.addHook('preValidation', async request => {
    if (request.body === undefined) fillBody(request)
    refuseBody(request)
    if (!request.routeOptions.config.any_url) checkUrlTexts(request)
  })
  server.addHook('onRequestAbort', noteCutOff)
  server.addHook('onSend', dropUntaken)
  boundPages(server)
  server.setErrorHandler((error, request, reply) =>
    sendError(error as FastifyError, request, reply),
  )
  return server as unknown as Server
}

/** Wherever the body was to go: to a page as well, which answers errors in a form of its own. */
async function noteCutOff(request: FastifyRequest): Promise<void> {
  if (isCutOff(request)) request.server.logRefusal(CUT_OFF, request)
}

/** What answers HEAD nobody takes; the framework would read it to its end. */
function dropUntaken(
  { method }: FastifyRequest,
  _reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  if (method === 'HEAD' && payload instanceof Readable) payload.destroy()
  done(null, payload)
}

/** A connection is silent while its answer is made, which may take minutes: only an answer that has begun must go on. */
function cutOnceBegun(this: FastifyReply['raw'], socket: { destroy(): void }): void {
  if (this.headersSent) socket.destroy()
}

/** Packed bodies are refused: what they unpack to has no bound. */
function checkEncoding(request: FastifyRequest): void {
  const packed = request.headers['content-encoding']
  if (packed !== undefined && packed.toLowerCase() !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'send the body without Content-Encoding')
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'the body must be JSON in UTF-8')
  }
}

const UNREADABLE = '/unreadable'

function isReadable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

/** As RFC 9112 3.2 asks: of two, a proxy before us may have read the other. */
function hasOneHost({ httpVersion, rawHeaders }: FastifyRequest['raw']): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1')
}

/** Invariant: such a request has come to the place of unknown paths. */
export function refuseOtherHosts({ raw }: FastifyRequest): void {
  if (hasOneHost(raw)) return
  const headers = { connection: 'close' }
  throw new ApiError('VALIDATION_ERROR', 'send one Host header', { headers })
}

/** The same. */
export function refuseUnreadable(request: FastifyRequest): void {
  if (!isReadable(request.originalUrl)) {
    throw new ApiError('VALIDATION_ERROR', 'the URL is not valid percent-encoded UTF-8')
  }
  checkUrlTexts(request)
}

function checkUrlTexts({ params, query }: FastifyRequest): void {
  checkTexts(params, 'path')
  checkTexts(query, 'query')
}

/** Left out is not the same as `null`, which the schema refuses. */
function fillBody(request: FastifyRequest): void {
  const { schema } = request.routeOptions
  if (!schema?.body) return
  if (!schema.body_optional)
    throw invalid([{ path: 'body', message: 'is missing; send a JSON object' }])
  request.body = {}
}

/** What is sent where the API takes nothing is refused by name, like any unknown field. */
function refuseBody({ routeOptions, body }: FastifyRequest): void {
  const { schema, url } = routeOptions
  if (body === undefined || schema === undefined || schema.body || !url?.startsWith('/v1/')) return
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const names = isObject ? Object.keys(body) : ['body']
  const faults = names.map(path => ({ path, message: 'is not a known field; this takes no body' }))
  if (faults.length > 0) throw invalid(faults.slice(0, 20))
}

function checkTexts(values: unknown, part: string): void {
  for (const [key, value] of Object.entries((values ?? {}) as Record<string, unknown>)) {
    if (typeof value === 'string' && (value.includes('\u0000') || !value.isWellFormed())) {
      throw invalid([
        { path: key, message: `the ${part} contains a character that is not allowed` },
      ])
    }
  }
}

const FRAMEWORK_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'VALIDATION_ERROR',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'VALIDATION_ERROR',
}

/** Any error as one of ours; what is not known is a 500 that tells nothing. */
function asApiError(error: FastifyError | ApiError, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (error.code === 'ECONNRESET' && isCutOff(request)) return CUT_OFF
  if (error.validation) {
    return invalid(readFaults(error.validation as never, error.validationContext ?? 'body'))
  }
  const code = FRAMEWORK_CODES[error.code]
  if (code === 'UNSUPPORTED_MEDIA_TYPE')
    return new ApiError(code, 'send Content-Type: application/json')
  if (code === 'PAYLOAD_TOO_LARGE')
    return new ApiError(code, `the body is larger than ${sayBytes(request.routeOptions.bodyLimit)}`)
  if (code) return new ApiError(code, error.message)
  return new ApiError('INTERNAL_ERROR', 'something went wrong on our side; quote the request_id')
}

function sayBytes(bytes: number): string {
  const kib = bytes / 1024
  return kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`
}

function sendError(error: FastifyError | ApiError, request: FastifyRequest, reply: FastifyReply) {
  const known = asApiError(error, request)
  if (known.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'request failed')
  request.server.logRefusal(known, request)
  if (known.code === 'PAYLOAD_TOO_LARGE') hearOut(request, reply)
  reply.headers({ 'x-request-id': request.id, ...known.headers })
  return reply.code(known.status).type('application/json').send(errorBody(known, request.id))
}

/** Cut off while it still sends, a client would see a broken connection and never the answer. */
function hearOut(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection')
  request.raw.resume()
}
