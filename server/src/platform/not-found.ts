// Unknown paths and wrong methods: 404, or 405 with the methods the path does have.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, notFound } from './errors.ts'
import { refuseOtherHosts, refuseUnreadable, type Server } from './http.ts'

export type PageForPath = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null

/** `page` may answer for a path that only a person at a browser would ask for. */
export function installNotFound(server: Server, page: PageForPath): void {
  const routes: { url: string; segments: string[]; methods: string[] }[] = []
  const names = new Set<string>()
  server.addHook('onRoute', ({ url, method }) => {
    routes.push({ url, segments: url.split('/'), methods: [method].flat() })
    if (!url.includes('/:')) names.add(url)
  })
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    refuseOtherHosts(request)
    const path = pathOf(request)
    const segments = path.split('/')
    const methods = routes
      .filter(({ url, ...route }) =>
        names.has(path) ? url === path : fits(route.segments, segments),
      )
      .flatMap(route => route.methods)
    const answered = methods.length === 0 ? page(request, reply) : null
    if (answered) return answered
    refuseUnreadable(request)
    if (methods.length === 0) throw notFound('path')
    const allow = [...new Set(methods)].sort().join(', ')
    throw new ApiError('METHOD_NOT_ALLOWED', `this path takes ${allow}`, { headers: { allow } })
  }
  /** Whether an id was read where there is none, or where a path has a name of its own, which takes other methods. */
  const isMistaken = (request: FastifyRequest): boolean =>
    request.routeOptions.url?.includes('/:') === true &&
    (names.has(pathOf(request)) || Object.values(request.params as object).includes(''))
  // Before the framework looks at the body: its type and length say nothing where nothing is.
  server.addHook('preParsing', (request, reply, payload, done) => {
    if (request.is404 || isMistaken(request)) answer(request, reply)
    else done(null, payload)
  })
  server.setNotFoundHandler(answer)
}

function pathOf(request: FastifyRequest): string {
  return (request.raw.url ?? '').split('?')[0]!
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length !== path.length) return false
  return pattern.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]))
}
