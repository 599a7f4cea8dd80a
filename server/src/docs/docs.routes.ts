// The API document and its readable form; static for the life of the process, and nothing loaded from outside.
import { readFileSync } from 'node:fs'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { buildDocument, printDocument } from '../platform/openapi.ts'
import type { Route } from '../platform/openapi-operation.ts'
import { publicUrl } from '../platform/public-url.ts'
import { hidden } from '../platform/schemas.ts'
import { describeService } from './about.ts'
import { renderPage } from './docs-page.ts'

const STYLE = readFileSync(new URL('./style.css', import.meta.url), 'utf8')

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

export function docsRoutes(server: Server, context: Context, routes: readonly Route[]): void {
  const document = once(() => buildDocument(routes, describeService(context.config.public_url)))
  const json = once(() => printDocument(document()))
  const page = once(() => renderPage(document(), publicUrl(context.config, server)))
  const options = {
    config: { unlimited: true },
    schema: hidden,
  }
  server.get('/openapi.json', options, async (_request, reply) =>
    reply.type('application/json').send(json()),
  )
  server.get('/docs', options, async (_request, reply) =>
    reply
      .headers({ 'content-security-policy': POLICY, 'content-type': 'text/html; charset=utf-8' })
      .send(page()),
  )
  server.get('/docs/style.css', options, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(STYLE),
  )
}

/** The document needs every route, so it is built when first asked for. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
