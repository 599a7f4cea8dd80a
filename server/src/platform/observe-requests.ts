// Every request is counted and timed by its route, and is a span where those are wanted; never by its path, which may
// name a person.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createCounter, createHistogram, LATENCIES } from './metrics.ts'
import { endSpan, type Span, startSpan, within } from './trace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null
  }
}

const requests = createCounter('bellwether_http_requests_total', 'Requests by route and status.', [
  'method',
  'route',
  'status',
])
const latencies = createHistogram(
  'bellwether_http_request_seconds',
  'Time from the head of a request to the end of its answer.',
  ['method', 'route'],
  LATENCIES,
)

/** Invariant: before every other hook, so that what they do is part of the request. */
export function observeRequests(server: FastifyInstance): void {
  server.decorateRequest('span', null)
  server.addHook('onRequest', (request, _reply, done) => {
    const span = startSpan(
      `${request.method} ${routeOf(request)}`,
      'server',
      { 'http.request.method': request.method, 'bellwether.request_id': request.id },
      request.headers.traceparent ?? null,
    )
    request.span = span
    within(span, done)
  })
  // The body arrives by events of the socket, which know nothing of the request.
  server.addHook('preValidation', (request, _reply, done) => within(request.span, done))
  server.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const route = routeOf(request)
    requests.add([method, route, String(reply.statusCode)])
    latencies.observe([method, route], reply.elapsedTime / 1000)
    if (request.span) {
      const status = { 'http.route': route, 'http.response.status_code': reply.statusCode }
      endSpan(request.span, status, reply.statusCode >= 500 ? 'server error' : undefined)
    }
    done()
  })
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none'
}
