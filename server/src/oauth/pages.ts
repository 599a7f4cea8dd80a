// The consent page: who asks, for which organization, for what, and where it leads.
import { formTarget, type Page } from '../accounts/page-layout.ts'
import { alarm } from '../accounts/pages.ts'
import { html } from '../platform/html.ts'
import { SCOPES, type Scope } from '../tenants/scopes.ts'
import type { Client, GrantOffer } from './authorize.ts'

export type Consent = {
  client: Client
  offer: GrantOffer
  email: string
  /** The query of the request, which the form carries on. */
  query: string
  consent_token: string
  /** Why it is shown once more. */
  message: string | null
}

export function consentPage(consent: Consent): Page {
  const { client, offer, email, query, consent_token, message } = consent
  const { app, tenant_name, redirect_uri } = client
  return {
    status: message === null ? 200 : 403,
    title: `Allow ${app.name}?`,
    form_targets: formTarget(redirect_uri),
    body: html`${alarm(message)}
<p><strong>${app.name}</strong> asks for access to <strong>${tenant_name}</strong>.
You are logged in as ${email}.</p>
<h2>It will be able to</h2>
<ul>${offer.granted.map(item)}</ul>
${
  offer.withheld.length > 0 &&
  html`<h2>It also asked for this, which your role does not include</h2>
<ul>${offer.withheld.map(item)}</ul>`
}
<p class="quiet">Access ends when you end it, after 30 days without use, and after 365 days in any case.</p>
<form method="post" action="/oauth/consent?${query}">
<input type="hidden" name="consent" value="${consent_token}">
<button type="submit" name="decision" value="approve">Allow</button>
<button class="second" type="submit" name="decision" value="deny">Do not allow</button>
</form>
<p class="quiet">Either way you go on to <code>${new URL(redirect_uri).host}</code>.</p>`,
  }
}

function item(scope: Scope) {
  return html`<li>${SCOPES[scope]} <code>${scope}</code></li>`
}
