// Which app calls the token endpoint: client id and secret, in the form or by HTTP Basic, never both.
import { timingSafeEqual } from 'node:crypto'
import type { Context } from '../platform/context.ts'
import type { Form } from '../platform/form-body.ts'
import { hashToken } from '../platform/tokens.ts'
import { isTenant } from '../tenants/remember-tenants.ts'
import { findTenant } from '../tenants/tenants.queries.ts'
import { findApp, type OAuthApp } from './apps.queries.ts'
import { OAuthError } from './oauth-error.ts'
import { tenantOf } from './token-format.ts'

export type KnownClient = { tenant_id: string; app: OAuthApp }

type Credentials = { client_id: string; client_secret: string; basic: boolean }

export async function authenticateClient(
  context: Context,
  form: Form,
  authorization: string | undefined,
): Promise<KnownClient> {
  const { client_id, client_secret, basic } = readCredentials(form, authorization)
  const tenant_id = tenantOf('client', client_id)
  const { app, tenant } = tenant_id === null ? NOBODY : await lookUp(context, tenant_id, client_id)
  const expected = app?.secret_hash ?? Buffer.alloc(32)
  const matches = timingSafeEqual(hashToken(client_secret), expected)
  if (tenant_id === null || !app || !matches) throw wrongClient(basic)
  // No invalid_grant: an app would throw its refresh token away, which works again once the tenant does.
  if (tenant?.status !== 'active')
    throw new OAuthError('unauthorized_client', 'the organization is suspended')
  return { tenant_id, app }
}

const NOBODY = { app: undefined, tenant: undefined }

async function lookUp(context: Context, tenant_id: string, client_id: string) {
  if (!(await isTenant(context, tenant_id))) return NOBODY
  return context.db.inTenant(tenant_id, async tx => {
    const [app, tenant] = await Promise.all([
      findApp(tx, tenant_id, client_id),
      findTenant(tx, tenant_id),
    ])
    return { app, tenant }
  })
}

function wrongClient(basic: boolean): OAuthError {
  const headers: Record<string, string> = basic
    ? { 'www-authenticate': 'Basic realm="bellwether"' }
    : {}
  return new OAuthError('invalid_client', 'client_id or client_secret is wrong', 401, headers)
}

function readCredentials(form: Form, authorization: string | undefined): Credentials {
  if (authorization === undefined) {
    return {
      client_id: form.get('client_id'),
      client_secret: form.get('client_secret'),
      basic: false,
    }
  }
  const basic = readBasic(authorization)
  if (form.has('client_secret')) {
    throw new OAuthError('invalid_request', 'send the client secret in one place only')
  }
  if (form.has('client_id') && form.get('client_id') !== basic.client_id) {
    throw new OAuthError(
      'invalid_request',
      'client_id differs from the one in the Authorization header',
    )
  }
  return basic
}

/** RFC 6749 2.3.1: both parts are form-encoded before they are joined. */
function readBasic(authorization: string): Credentials {
  const match = /^Basic +([A-Za-z0-9+/=_-]{1,2000})$/i.exec(authorization)
  const text = Buffer.from(match?.[1] ?? '', 'base64').toString('utf8')
  const colon = text.indexOf(':')
  try {
    const [client_id = '', client_secret = ''] = [
      text.slice(0, Math.max(0, colon)),
      text.slice(colon + 1),
    ].map(part => decodeURIComponent(part.replaceAll('+', ' ')))
    return { client_id, client_secret, basic: true }
  } catch {
    throw wrongClient(true)
  }
}
