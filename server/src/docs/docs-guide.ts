// The parts of the docs page that hold for every operation; numbers and codes come from the tables in force.
import { ERROR_STATUS, type ErrorCode } from '../platform/errors.ts'
import { type Html, html } from '../platform/html.ts'
import type { ApiDocument } from '../platform/openapi.ts'
import { ERRORS } from '../platform/openapi-answers.ts'
import type { Schema } from '../platform/openapi-schemas.ts'
import { PLAN_NAMES, PLANS } from '../tenants/plans.ts'
import { SCOPES } from '../tenants/scopes.ts'
import { renderJson, renderRows } from './docs-operation.ts'
import { codeSpans, prose } from './prose.ts'
import { listFields } from './schema-fields.ts'

export type Section = { id: string; title: string; content: Html }

export function listGuide(document: ApiDocument, address: string): Section[] {
  return [
    { id: 'start', title: 'Start', content: renderStart(document, address) },
    { id: 'authentication', title: 'Authentication', content: renderAuthentication() },
    { id: 'errors', title: 'Errors', content: renderErrors() },
    { id: 'limits', title: 'Rate limits', content: renderLimits() },
    { id: 'pages', title: 'Pages and dates', content: PAGES },
    { id: 'repeating', title: 'Repeating a request', content: REPEATING },
    ...renderWebhooks(document),
  ]
}

function renderStart(document: ApiDocument, address: string): Html {
  return html`${prose(document.info.description)}
<p>The examples below use two variables. The document behind this page is <a href="/openapi.json">openapi.json</a>.</p>
<pre tabindex="0"><code>export BELLWETHER_URL=${address}
export BELLWETHER_KEY=bw_live_…
curl "$BELLWETHER_URL/v1/me" -H "Authorization: Bearer $BELLWETHER_KEY"</code></pre>`
}

function table(
  head: readonly string[],
  rows: readonly (readonly (string | number | Html)[])[],
): Html {
  return html`<div class="wide" tabindex="0"><table><thead><tr>${head.map(cell => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...rest]) => html`<tr><th scope="row">${first}</th>${rest.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`
}

function renderAuthentication(): Html {
  const rows = Object.entries(SCOPES).map(([name, grants]) => [html`<code>${name}</code>`, grants])
  return html`<p>Send an API key or an OAuth access token with every request:</p>
<pre tabindex="0"><code>Authorization: Bearer &lt;API_KEY&gt;</code></pre>
<p>A credential belongs to one tenant and sees nothing of any other: another tenant’s id is a 404, the same as one that
does not exist. It carries scopes; each operation names the one it needs.</p>
${table(['Scope', 'Grants'], rows)}
${OAUTH}`
}

const OAUTH = html`<p>Apps act for a person by OAuth 2.0: the authorization code flow with PKCE. An app is made in the
dashboard, with its redirect URIs and scopes; there it gets its id and its secret.</p>
<ol>
<li>Send the person to <code>/oauth/authorize</code> with <code>client_id</code>, <code>redirect_uri</code>,
<code>response_type=code</code>, <code>scope</code> (names joined by <code>+</code>), <code>state</code>,
<code>code_challenge</code> and <code>code_challenge_method=S256</code>. They come back with <code>code</code>,
<code>state</code> and <code>iss</code>, or with <code>error</code>.</li>
<li>Within 60 seconds POST to <code>/oauth/token</code>, as <code>application/x-www-form-urlencoded</code>:
<code>grant_type=authorization_code</code>, <code>code</code>, <code>redirect_uri</code>, <code>client_id</code>,
<code>client_secret</code>, <code>code_verifier</code>. The access token lasts 15 minutes.</li>
<li>For a new pair POST there <code>grant_type=refresh_token</code>, <code>refresh_token</code>, <code>client_id</code>,
<code>client_secret</code>. Keep the refresh token that comes with it: the one sent is spent.</li>
</ol>
<p>Errors of <code>/oauth</code> have the form of RFC 6749. The metadata of RFC 8414 are at
<a href="/.well-known/oauth-authorization-server">/.well-known/oauth-authorization-server</a>.</p>`

function renderErrors(): Html {
  const rows = (Object.keys(ERROR_STATUS) as ErrorCode[]).map(code => {
    const status = ERROR_STATUS[code]
    const words = OWN_WORDS[code] ?? ERRORS[status]?.description ?? ''
    return [status, html`<code>${code}</code>`, codeSpans(words)]
  })
  const example = {
    error: {
      code: 'VALIDATION_ERROR',
      message: 'impact: must be <= 100',
      request_id: 'req_0mm8o8c001q7xk3m2p5aw9',
      details: [{ path: 'impact', message: 'must be <= 100' }],
    },
  }
  return html`<p>Every error of <code>/v1</code> has one shape. Programs compare <code>code</code>; <code>details</code> is there where it
helps. Unknown fields and query parameters are refused by name.</p>${renderJson(example)}
${table(['Status', 'Code', 'Meaning'], rows)}`
}

const OWN_WORDS: Partial<Record<ErrorCode, string>> = {
  METHOD_NOT_ALLOWED:
    'The path exists but does not take this method; `Allow` lists those it takes.',
  REAUTHENTICATION_REQUIRED: 'Of dashboard sessions only: confirm who you are first.',
  SECOND_FACTOR_REQUIRED:
    'The tenant asks for a second factor, which the person of the session or token does not have.',
  DEFAULT_RULE: 'A default rule cannot be deleted; deactivate it instead.',
  JOB_RUNNING: 'Another job of its kind is not finished yet.',
}

function renderLimits(): Html {
  const columns = ['requests', 'burst', 'scores', 'inbound', 'outbound'] as const
  const rows = PLAN_NAMES.map(name => [
    name,
    ...columns.map(column => PLANS[name][column].toLocaleString('en')),
    `${PLANS[name].recalculations} in ${PLANS[name].recalculation_window_ms / 3_600_000} h`,
  ])
  const head = ['Plan', 'Requests', 'Burst', 'Score views', 'Inbound', 'Outbound', 'Recalculations']
  return html`<p>Each tenant has a bucket of requests that refills every second. Numbers are per minute; the burst is what
can be served at once after a pause. Limits of Enterprise can be raised. A refused request is answered with 429 and
<code>Retry-After</code>, the seconds to wait. A batch counts as one request for each 100 of its items begun. Requests
without a valid credential are limited by address.</p>${table(head, rows)}
<p><code>X-RateLimit-Limit</code> is the number per minute, <code>X-RateLimit-Remaining</code> counts down from it, and
<code>X-RateLimit-Reset</code> is when the bucket is full again, in Unix seconds.</p>`
}

const PAGES = html`<p>Lists answer <code>{"data": […], "pagination": {…}}</code>. <code>page</code> begins at 1,
<code>per_page</code> is 25 unless given and at most 100. A page past the end is empty. The order is stable.</p>
<p>What is added between two pages moves a list that begins with the newest: rows come twice, none is left out. Where
<code>to</code> or <code>order=asc</code> is taken, a <code>to</code> in the past or that order leaves only what comes late
to move it.</p>
<p>Dates in queries are an ISO 8601 date, which means the whole UTC day, or a date-time with a zone. <code>from</code> and
<code>to</code> are inclusive.</p>`

const REPEATING = html`<p>Every POST that creates takes an <code>Idempotency-Key</code>, and so does one that decides on an
action or reports on it, retracts an event or rotates a secret. For 24 hours the same key on the same path gives the first answer again and changes nothing; with another body or query it is a 409. So a request whose answer was
lost can be sent once more without fear.</p>`

function renderWebhooks(document: ApiDocument): Section[] {
  if (!document.webhooks) return []
  const kinds = Object.entries(document.webhooks).map(([kind, item]) => {
    const message = item.post as Schema
    const content = (message.requestBody as Schema).content as Record<string, Schema>
    const { schema, example } = content['application/json'] as { schema: Schema; example: unknown }
    return html`<article id="webhook-${kind}"><h3><a href="#webhook-${kind}"><code>${kind}</code></a></h3>
${prose(String(message.description))}${renderRows(listFields(document, schema))}${renderJson(example)}</article>`
  })
  const content = html`<p>Messages are sent as POST to the subscribed address, signed with the subscription’s secret:
<code>X-Service-Signature</code> is <code>sha256=</code> and the hex HMAC-SHA256 of the body, byte for byte as it came, keyed
with the secret as shown, <code>whsec_</code> included. Compare in constant time and reject what does not match. <code>X-Service-Delivery</code> is an id that stays over retries: a message may come twice, and is known by it.
Libraries of Standard Webhooks find their own headers too, <code>webhook-id</code>, <code>webhook-timestamp</code> and
<code>webhook-signature</code>. Any answer but 2xx within 10 seconds is tried again after 1 minute, 5 minutes, 30 minutes
and 2 hours; a 410 disables the subscription at once.</p>${kinds}`
  return [{ id: 'webhooks-sent', title: 'Messages', content }]
}
