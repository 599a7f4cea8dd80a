// The pages of logging in, of invitations and of resets.
import { type Html, html } from '../platform/html.ts'
import type { OpenedLink } from './accept-link.ts'
import type { Page } from './page-layout.ts'
import { SHORTEST_PASSWORD } from './password-policy.ts'

export function alarm(message: string | null): Html | null {
  return message === null ? null : html`<p class="alarm" role="alert">${message}</p>`
}

type Step = {
  next: string
  /** What comes next may send the browser on to an app, which the form must be allowed to. */
  targets: readonly string[]
  message: string | null
  status: number
}

/** Typing begins here, unless there is something wrong to be read first; what stands above is read with the field. */
function first(message: string | null, described_by: Html | null = null): Html | null {
  return message === null ? html` autofocus${described_by}` : null
}

/** `saved`: whoever has just chosen a password sees that it worked, and why there is one more form. */
type Login = Step & { email: string; saved?: boolean }

export function loginPage({ next, targets, email, message, status, saved = false }: Login): Page {
  const noted = saved ? html` aria-describedby="saved"` : null
  return {
    status,
    title: 'Log in',
    form_targets: targets,
    body: html`${alarm(message)}
${saved ? html`<p role="status" id="saved">Your password is saved. Log in with it.</p>` : null}
<form method="post" action="/login">
<input type="hidden" name="next" value="${next}">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"${first(message, noted)}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000">
<button type="submit">Log in</button>
</form>
<p class="quiet"><a href="/forgot">I forgot my password</a></p>`,
  }
}

export function codePage(form: Step & { csrf: string }): Page {
  return {
    status: form.status,
    title: 'Enter your code',
    form_targets: form.targets,
    body: html`${alarm(form.message)}
<p id="how">Open your authenticator app, or use one of your recovery codes.</p>
<form method="post" action="/login/code">
<input type="hidden" name="next" value="${form.next}">
<input type="hidden" name="csrf" value="${form.csrf}">
<label for="code">Code</label>
<input id="code" name="code" autocomplete="one-time-code" inputmode="text" autocapitalize="none"
  spellcheck="false" required maxlength="40"${first(form.message, html` aria-describedby="how"`)}>
<button type="submit">Continue</button>
</form>
<p class="quiet">Both are lost? An owner of your organization can remove your second factor.</p>`,
  }
}

export function linkPage(
  link: OpenedLink,
  token: string,
  message: string | null,
  status: number,
): Page {
  const title =
    link.purpose === 'reset' ? 'Choose a new password' : `Join ${link.tenant_name ?? ''}`
  return {
    status,
    title,
    body: html`${alarm(message)}
${link.needs_password ? null : html`<p>You are logged in as <strong>${link.email}</strong>.</p>`}
<form method="post" action="/${link.purpose}">
<input type="hidden" name="token" value="${token}">
${link.needs_password && passwordField(link.email)}
<button type="submit">${link.purpose === 'reset' ? 'Save the password' : 'Accept the invitation'}</button>
</form>`,
  }
}

function passwordField(email: string): Html {
  return html`<label for="username">Email</label>
<input id="username" name="username" type="email" autocomplete="username" readonly value="${email}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required
  minlength="${SHORTEST_PASSWORD}" maxlength="1000" aria-describedby="hint">
<p class="quiet" id="hint">At least ${SHORTEST_PASSWORD} characters; a few unrelated words are easy to remember.</p>`
}

export function forgotPage(): Page {
  return {
    title: 'Forgot your password?',
    body: html`<form method="post" action="/forgot">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" autofocus>
<button type="submit">Send me a link</button>
</form>`,
  }
}

export function notePage(
  status: number,
  title: string,
  text: string,
  link: { href: string; text: string } | null,
): Page {
  return {
    status,
    title,
    body: html`<p>${text}</p>
${link && html`<p><a href="${link.href}">${link.text}</a></p>`}`,
  }
}
