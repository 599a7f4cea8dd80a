// Serves the dashboard: one shell for every page of the app, and the files it loads; nothing from elsewhere.
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from '../platform/http.ts'
import type { PageForPath } from '../platform/not-found.ts'
import { sendAsset } from '../platform/static-asset.ts'
import { BUILT } from './dashboard-folder.ts'
import { REPORTS_PATH } from './policy-reports.ts'
import { type Dashboard, NONCE, readDashboard } from './read-dashboard.ts'

/** The pages of the app; their addresses are its own, the server only hands out the shell. */
const PAGES = [
  '/',
  '/employees',
  '/rules',
  '/events',
  '/actions',
  '/webhooks',
  '/keys',
  '/apps',
  '/users',
  '/audit',
  '/settings',
  '/profile',
]

/** What begins so is never a page of the app, however it is written. */
const NOT_PAGES = /^\/(?:v\d+|admin|session|oauth|docs|assets)(?:\/|$)/i
/** Names with slashes between: no dots, nothing encoded, nothing empty. */
const PLAIN = /^\/(?:[\w~@+-]+\/)*[\w~@+-]*$/

const options = { config: { unlimited: true, any_url: true }, schema: { hidden: true } } as const

/** Returns what answers for other paths a browser asks for: the shell, which says that there is no such page. */
export function dashboardRoutes(server: Server, folder: URL = BUILT): PageForPath {
  let found: Dashboard | null = null
  const dashboard = () => {
    found ??= readDashboard(folder)
    return found
  }
  const shell = async (_request: FastifyRequest, reply: FastifyReply) =>
    sendShell(reply, dashboard())
  for (const page of PAGES) {
    server.get(page, options, shell)
    if (page !== '/') server.get(`${page}/*`, options, shell)
  }
  for (const path of ['/assets/*', '/favicon.svg']) {
    server.get(path, options, async (request, reply) => sendFile(request, reply, dashboard()))
  }
  return (request, reply) => {
    const path = request.originalUrl.split('?')[0]!
    const asked = (request.headers.accept ?? '').includes('text/html')
    if (request.method !== 'GET' || !asked || !PLAIN.test(path) || NOT_PAGES.test(path)) return null
    // A query that cannot be read has led a path here that we do have: that of a page, or of something else.
    const isKnown = path === pathOf(request) || PAGES.includes(`/${path.split('/')[1]}`)
    return isKnown ? sendShell(reply, dashboard()) : null
  }
}

function pathOf(request: FastifyRequest): string {
  return (request.raw.url ?? '').split('?')[0]!
}

/** Styles made at run time carry the nonce; scripts come from files of ours and from nowhere else. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `report-uri ${REPORTS_PATH}`,
  ].join('; ')
}

function sendShell(reply: FastifyReply, dashboard: Dashboard | null): FastifyReply {
  if (!dashboard) {
    return reply
      .code(503)
      .headers({ 'retry-after': '10', 'content-type': 'text/plain; charset=utf-8' })
      .send(
        'The dashboard is not built. npm start builds it, and so does npm run build; the API works without it.\n',
      )
  }
  const nonce = randomBytes(16).toString('base64')
  return reply
    .headers({
      'content-security-policy': policy(nonce),
      'content-type': 'text/html; charset=utf-8',
      // no-referrer would blank the Origin of our own requests.
      'referrer-policy': 'same-origin',
    })
    .send(dashboard.shell.replaceAll(NONCE, nonce))
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  dashboard: Dashboard | null,
): FastifyReply {
  const file = dashboard?.files.get(pathOf(request))
  return file ? sendAsset(request, reply, file) : (reply.callNotFound() as unknown as FastifyReply)
}
