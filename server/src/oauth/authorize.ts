// What an authorization request must be, as a list of checks in order; each says what is wrong and nothing else.
import type { Session } from '../accounts/identity.ts'
import { findMembership, requiresSecondFactor } from '../accounts/memberships.queries.ts'
import { type Role, scopesOf } from '../accounts/roles.ts'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import type { Form } from '../platform/form-body.ts'
import { isTenant } from '../tenants/remember-tenants.ts'
import { isScope, type Scope } from '../tenants/scopes.ts'
import { findTenant } from '../tenants/tenants.queries.ts'
import { findApp, type OAuthApp } from './apps.queries.ts'
import { OAuthError } from './oauth-error.ts'
import { tenantOf } from './token-format.ts'
import { isChallengeSpent } from './tokens.queries.ts'

/** An app and the place it may be answered at: judged before anybody is redirected anywhere. */
export type Client = {
  tenant_id: string
  tenant_name: string
  suspended: boolean
  app: OAuthApp
  redirect_uri: string
}

export async function findClient(context: Context, form: Form): Promise<Client> {
  const client_id = form.get('client_id')
  const redirect_uri = form.get('redirect_uri')
  for (const name of ['client_id', 'redirect_uri']) {
    if (form.repeated.includes(name)) throw wrongClient(`the request names ${name} more than once`)
  }
  const tenant_id = tenantOf('client', client_id)
  if (tenant_id === null || !(await isTenant(context, tenant_id))) throw noSuchApp()
  const { tenant, app } = await context.db.inTenant(tenant_id, async tx => {
    const [tenant, app] = await Promise.all([
      findTenant(tx, tenant_id),
      findApp(tx, tenant_id, client_id),
    ])
    return { tenant, app }
  })
  if (!tenant || !app) throw noSuchApp()
  if (!app.redirect_uris.includes(redirect_uri)) {
    throw wrongClient('the redirect_uri is not one of those registered for this app')
  }
  const suspended = tenant.status !== 'active'
  return { tenant_id, tenant_name: tenant.name, suspended, app, redirect_uri }
}

function wrongClient(message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', message)
}

export const noSuchApp = () => wrongClient('the request names no app we know (client_id)')

type Check = (form: Form, app: OAuthApp) => OAuthError | null

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const LONGEST_STATE = 2000

function refuse(...[error, description]: ConstructorParameters<typeof OAuthError>): OAuthError {
  return new OAuthError(error, description)
}

const noRepeats: Check = form =>
  form.repeated.length > 0
    ? refuse('invalid_request', `${form.repeated[0]} is given more than once`)
    : null

const noRequestObjects: Check = form => {
  if (form.has('request'))
    return refuse('request_not_supported', 'request objects are not supported')
  if (!form.has('request_uri')) return null
  return refuse('request_uri_not_supported', 'request objects are not supported')
}

const codeOnly: Check = form => {
  if (!form.has('response_type')) return refuse('invalid_request', 'response_type is missing')
  if (form.get('response_type') === 'code') return null
  return refuse('unsupported_response_type', 'response_type must be code')
}

const queryOnly: Check = form =>
  ['', 'query'].includes(form.get('response_mode'))
    ? null
    : refuse('invalid_request', 'response_mode must be query')

const stateFits: Check = form =>
  form.get('state').length > LONGEST_STATE
    ? refuse('invalid_request', `state must have at most ${LONGEST_STATE} characters`)
    : null

const provesKey: Check = form => {
  if (form.get('code_challenge') === '')
    return refuse('invalid_request', 'code_challenge is missing')
  if (form.get('code_challenge_method') !== 'S256') {
    return refuse('invalid_request', 'code_challenge_method must be S256')
  }
  if (CHALLENGE.test(form.get('code_challenge'))) return null
  return refuse('invalid_request', 'code_challenge must be 43 base64url characters')
}

const scopesAllowed: Check = (form, app) => {
  const names = readScopeNames(form.get('scope'))
  if (names.length === 0) return refuse('invalid_scope', 'scope is missing')
  const unknown = names.find(name => !isScope(name))
  if (unknown !== undefined) return refuse('invalid_scope', `${unknown} is not a scope`)
  const beyond = names.find(name => !app.scopes.includes(name as Scope))
  if (beyond === undefined) return null
  return refuse('invalid_scope', `this app may not ask for ${beyond}`)
}

const CHECKS: readonly Check[] = [
  noRepeats,
  noRequestObjects,
  codeOnly,
  queryOnly,
  stateFits,
  provesKey,
  scopesAllowed,
]

/** Names joined by spaces, or by plus signs as the contract shows them. */
export function readScopeNames(text: string): string[] {
  return [...new Set(text.split(/[ +]+/).filter(name => name !== ''))]
}

/** What the person may approve. */
export type GrantOffer = {
  membership_id: string
  role: Role
  code_challenge: string
  /** What the app would get. */
  granted: Scope[]
  /** What it asked for and the person cannot give. */
  withheld: Scope[]
}

/** Throws the error that goes to the app's redirect URI. */
export async function judgeRequest(
  context: Context,
  client: Client,
  form: Form,
  session: Session,
): Promise<GrantOffer> {
  for (const check of CHECKS) {
    const error = check(form, client.app)
    if (error) throw error
  }
  const { membership_id, role } = await findMember(context, client, session)
  const code_challenge = form.get('code_challenge')
  await noteSpent(context, client, code_challenge)
  const asked = readScopeNames(form.get('scope')) as Scope[]
  const own = scopesOf(role)
  const granted = asked.filter(scope => own.has(scope))
  if (granted.length === 0)
    throw refuse('access_denied', 'the role of this person holds none of the scopes')
  const withheld = asked.filter(scope => !own.has(scope))
  return { membership_id, role, granted, withheld, code_challenge }
}

/**
 * An app that sends one challenge again and again proves nothing by it. That harms its own people alone, so its
 * makers are to be told, not these people kept out.
 */
async function noteSpent({ db, log }: Context, { tenant_id, app }: Client, code_challenge: string) {
  const { client_id } = app
  const spent = await db.inTenant(tenant_id, tx =>
    isChallengeSpent(tx, tenant_id, client_id, code_challenge),
  )
  if (spent) log.warn({ tenant_id, client_id }, 'an OAuth app sends a code_challenge it has used')
}

export const notOfTenant = () =>
  refuse('access_denied', 'this person does not belong to the organization of the app')

async function findMember(context: Context, { tenant_id, suspended }: Client, session: Session) {
  const { membership, strict } = await context.db.inTenant(tenant_id, async tx => {
    const [membership, strict] = await Promise.all([
      findMembership(tx, tenant_id, session.user_id),
      requiresSecondFactor(tx, tenant_id),
    ])
    return { membership, strict }
  })
  if (membership?.status !== 'active') throw notOfTenant()
  if (suspended) throw refuse('access_denied', 'the organization is suspended')
  if (strict && !session.has_second_factor) {
    throw refuse('access_denied', 'the organization requires a second factor')
  }
  return membership
}
