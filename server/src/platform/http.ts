// The HTTP server before any slice: strict bodies, one error shape, request ids, safe headers.
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
import type { Context } from './context.ts'
import { ApiError, type ErrorCode, errorBody, invalid } from './errors.ts'
import { newId } from './ids.ts'
import { parseJsonBody } from './json-body.ts'
import { serializerCompiler } from './serialization.ts'
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
    items_apart?: string
  }
  interface FastifyInstance {
    /** What the limits of an address say of a request too broken for any hook; the guard hands it in. */
    limitHeadersOf(address: string): Promise<Record<string, string>>
  }
}

export const BODY_LIMIT = 256 * 1024
export const BATCH_BODY_LIMIT = 4 * 1024 * 1024

export function createServer(context: Context): Server {
  const server = Fastify({
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // What still arrives on an open connection while draining is served, with `Connection: close`.
    return503OnClosing: false,
    trustProxy: context.config.trust_proxy ?? false,
    genReqId: () => newId('req', context.clock.now()),
    // Longer than any request line: the schemas judge lengths, after the guard.
    routerOptions: { maxParamLength: 64 * 1024 },
    // The framework would answer an unreadable URL before every hook, so without limits or headers.
    rewriteUrl: ({ url = '/' }) => (isReadable(url) ? url : UNREADABLE),
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<TypeBoxTypeProvider>()
  server.decorateRequest('rawBody', null)
  server.decorate('limitHeadersOf', async () => ({}))
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
      checkCharset(request)
      done(null, parseJsonBody(body as Buffer, request.routeOptions.config.items_apart))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...SAFE_HEADERS })
  })
  server.addHook('preValidation', async request => {
    if (request.routeOptions.schema?.body_optional) request.body ??= {}
    refuseBody(request)
    checkTexts(request.params, 'path')
    checkTexts(request.query, 'query')
  })
  server.setErrorHandler((error, request, reply) =>
    sendError(error as FastifyError, request, reply),
  )
  return server as unknown as Server
}

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

function checkCharset(request: FastifyRequest): void {
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

/** Invariant: such a request has come to the place of unknown paths. */
export function refuseUnreadable({ originalUrl }: FastifyRequest): void {
  if (isReadable(originalUrl)) return
  throw new ApiError('VALIDATION_ERROR', 'the URL is not valid percent-encoded UTF-8')
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
function asApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error
  if (error.validation) {
    return invalid(readFaults(error.validation as never, error.validationContext ?? 'body'))
  }
  const code = FRAMEWORK_CODES[error.code]
  if (code === 'UNSUPPORTED_MEDIA_TYPE')
    return new ApiError(code, 'send Content-Type: application/json')
  if (code) return new ApiError(code, error.message)
  return new ApiError('INTERNAL_ERROR', 'something went wrong on our side; quote the request_id')
}

function sendError(error: FastifyError | ApiError, request: FastifyRequest, reply: FastifyReply) {
  const known = asApiError(error)
  if (known.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'request failed')
  reply.headers({ 'x-request-id': request.id, ...known.headers })
  return reply.code(known.status).type('application/json').send(errorBody(known, request.id))
}

type RawSocket = import('node:net').Socket

/** A request that could not even be parsed still gets an answer in the shape of all others. */
async function answerBrokenRequest(
  this: Pick<FastifyInstance, 'limitHeadersOf'>,
  error: Error & { code?: string },
  socket: RawSocket,
): Promise<void> {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const message = tooLarge ? 'the headers are too large' : 'the request is not valid HTTP'
  const request_id = newId('req', Date.now())
  const body = JSON.stringify(errorBody(new ApiError('VALIDATION_ERROR', message), request_id))
  // Without the database there is no limit to tell of; the answer itself needs none.
  const limits = await this.limitHeadersOf(socket.remoteAddress ?? '').catch(() => ({}))
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': request_id,
    ...limits,
    ...SAFE_HEADERS,
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
}
