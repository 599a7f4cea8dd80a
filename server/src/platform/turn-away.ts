// The cheapest way to say no: a request is answered 503 before the framework sees it, with the headers of every answer.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { answerInTurn } from './answer-in-turn.ts'
import { busy, errorBody } from './errors.ts'
import { createCounter } from './metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Further headers for a request that is to be turned away, or null for one that is served. */
    turnsAway(request: IncomingMessage): Record<string, string> | null
  }
}

const turnedAway = createCounter(
  'bellwether_http_turned_away_total',
  'Requests answered 503 at once, because too many of their tenant were under way.',
  [],
)
const BUSY = busy()

/** Invariant: called when the framework has taken its place as the listener, and nobody else has. */
export function turnAway(
  server: FastifyInstance,
  safe: Readonly<Record<string, string>>,
  newRequestId: () => string,
): void {
  server.decorate('turnsAway', () => null)
  const { server: http } = server
  const [serve] = http.listeners('request') as RequestListener[]
  const answer: RequestListener = (request, response) => {
    const headers = server.turnsAway(request)
    if (headers) refuse(response, { ...safe, ...headers }, newRequestId())
    else serve!(request, response)
  }
  http.removeAllListeners('request').on('request', answerInTurn(answer))
}

function refuse(response: ServerResponse, headers: Record<string, string>, id: string): void {
  turnedAway.add([])
  const body = JSON.stringify(errorBody(BUSY, id))
  response.writeHead(BUSY.status, {
    ...headers,
    ...BUSY.headers,
    'x-request-id': id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
