// What the API document says beside its operations: title, words, tags and scopes.
import packageJson from '../../../package.json' with { type: 'json' }
import { Action } from '../actions/actions.schema.ts'
import { EmployeeSummary } from '../employees/employees.schema.ts'
import { Event } from '../events/events.schema.ts'
import type { About } from '../platform/openapi.ts'
import { SCOPES } from '../tenants/scopes.ts'
import { describeMessages } from '../webhooks/messages.schema.ts'

const DESCRIPTION = `Bellwether keeps a security score for every employee of a tenant. The score moves when security \
events are evaluated against scoring rules, and fades back with time.

Requests and answers are JSON. Timestamps are ISO 8601 in UTC. Send an API key or an access token as \
\`Authorization: Bearer <credential>\`; each operation names the scope it needs. Every answer carries \`X-Request-Id\` \
and, health checks aside, \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`.

No text of a request may hold a NUL character or half a surrogate pair, no object a key twice or one named \
\`__proto__\`, and none that is named \`constructor\` one named \`prototype\`.`

/** In the order in which they are shown. */
const TAGS = {
  Employees: 'The people of a tenant, each with a score and a band.',
  Events: 'What happened: submitting, receiving and reading security events.',
  Rules: 'What events mean for a score. A change holds for the next event at once.',
  Scores: 'Views over the whole organization; they cover active employees.',
  Actions: 'What was done about a score, by itself or by hand.',
  Webhooks: 'Subscriptions to changes and what was delivered.',
  Audit: 'Who changed what, and when.',
  Access: 'The credential that asks.',
  Health: 'For load balancers and monitors. Needs no credential and draws on no limit.',
} as const

export function describeService(public_url: string | null): About {
  return {
    title: 'Bellwether',
    version: packageJson.version,
    description: DESCRIPTION,
    server_url: public_url ?? '/',
    tags: TAGS,
    scopes: SCOPES,
    webhooks: describeMessages({ Event, EmployeeSummary, Action }),
  }
}
