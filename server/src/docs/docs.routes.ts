// The API document and its readable form; made and packed once, and nothing loaded from outside.
import { readFileSync } from 'node:fs'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { buildDocument, printDocument } from '../platform/openapi.ts'
import type { Route } from '../platform/openapi-operation.ts'
import { publicUrl } from '../platform/public-url.ts'
import { hidden } from '../platform/schemas.ts'
import { packAsset, sendAsset } from '../platform/static-asset.ts'
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
  const json = once(() => packAsset(printDocument(document()), 'application/json; charset=utf-8'))
  const page = once(() => {
    const address = publicUrl(context.config, server)
    return packAsset(renderPage(document(), address), 'text/html; charset=utf-8')
  })
  const style = once(() => packAsset(STYLE, 'text/css; charset=utf-8'))
  // The only large files that need no credential: these two draw on the bucket of the address.
  server.get('/openapi.json', { schema: hidden }, async (request, reply) =>
    sendAsset(request, reply, await json()),
  )
  server.get('/docs', { schema: hidden }, async (request, reply) =>
    sendAsset(request, reply.header('content-security-policy', POLICY), await page()),
  )
  const free = { config: { unlimited: true }, schema: hidden }
  server.get('/docs/style.css', free, async (request, reply) =>
    sendAsset(request, reply, await style()),
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
