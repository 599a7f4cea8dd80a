// The frame of the pages that work without the dashboard and without JavaScript.
import { readFileSync } from 'node:fs'
import type { FastifyReply } from 'fastify'
import { type Html, html, printHtml } from '../platform/html.ts'
import type { Server } from '../platform/http.ts'

const STYLES = readFileSync(new URL('pages.css', import.meta.url), 'utf8')
const STYLES_PATH = '/pages.css'

export type Page = {
  status?: number
  title: string
  body: Html
  /** Origins a form may lead to beside our own: browsers follow the whole chain of redirects. */
  form_targets?: readonly string[]
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const targets = ["'self'", ...(page.form_targets ?? [])].join(' ')
  reply.headers({
    'content-security-policy': `default-src 'none'; style-src 'self'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    // no-referrer would blank the Origin of our own forms.
    'referrer-policy': 'same-origin',
    'content-type': 'text/html; charset=utf-8',
  })
  return reply.code(page.status ?? 200).send(printHtml(frame(page)))
}

function frame({ title, body }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Bellwether</title>
<link rel="stylesheet" href="${STYLES_PATH}">
</head>
<body>
<header><span class="mark" aria-hidden="true"></span>Bellwether</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
}

export function stylesRoute(server: Server): void {
  server.get(
    STYLES_PATH,
    { config: { unlimited: true }, schema: { hidden: true } },
    (_request, reply) => {
      reply.headers({
        'content-type': 'text/css; charset=utf-8',
        'cache-control': 'public, max-age=3600',
      })
      return reply.send(STYLES)
    },
  )
}

/** A CSP source for a redirect URI; literal IPv6 hosts cannot be written there, so their scheme must do. */
export function formTarget(uri: string): string[] {
  if (!URL.canParse(uri)) return []
  const { protocol, origin, hostname } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return []
  return [hostname.startsWith('[') ? protocol : origin]
}
