// No page of a list is larger than 4 MiB, however large the items on it: whoever meets such a page asks for fewer at once.
import type { FastifyInstance } from 'fastify'
import { invalid } from './errors.ts'

const MOST_BYTES = 4 * 1024 * 1024
const message = 'this page would be larger than 4 MiB; ask for fewer items at once'

export function boundPages(server: FastifyInstance): void {
  server.addHook('onSend', ({ routeOptions }, _reply, payload, done) => {
    const query = routeOptions.schema?.querystring as { properties?: object } | undefined
    const isPage = query?.properties !== undefined && 'per_page' in query.properties
    const isTooLarge =
      isPage && typeof payload === 'string' && Buffer.byteLength(payload) > MOST_BYTES
    if (isTooLarge) done(invalid([{ path: 'per_page', message }]))
    else done(null, payload)
  })
}
