// The dashboard's routes about API keys: no scope covers them, so no key can make another.
import Type from 'typebox'
import { ScopeNames } from '../accounts/accounts.schema.ts'
import { type Asked, identityOf, inTenantOf } from '../accounts/identity.ts'
import { requireOwnScopes } from '../accounts/require-scope.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { parseMoment } from '../platform/dates.ts'
import { invalid } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import { NOT_BLANK } from '../platform/say-fault.ts'
import { hidden, hiddenById, Name } from '../platform/schemas.ts'
import { type ListedKey, listKeys, MOST_KEYS } from './keys.queries.ts'
import { createKey, revokeKeyById } from './manage-keys.ts'

const KeyBody = Type.Object(
  {
    name: Name({ minLength: 1, maxLength: 200, pattern: NOT_BLANK }),
    scopes: ScopeNames,
    expires_at: Type.Optional(Type.String({ format: 'date-time', maxLength: 40 })),
  },
  { additionalProperties: false },
)

export function keysAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/keys',
    { config: { session: 'keys:manage' }, schema: hidden },
    async request => {
      const { tenant_id } = identityOf(request)
      const rows = await context.db.inTenant(tenant_id, tx =>
        listKeys(tx, tenant_id, MOST_KEYS + 1),
      )
      return showKeys(rows)
    },
  )

  server.post(
    '/admin/keys',
    { config: { session: 'keys:manage', fresh: true }, schema: { ...hidden, body: KeyBody } },
    async (request, reply) => {
      const { name, scopes, expires_at } = request.body
      requireOwnScopes(identityOf(request), scopes)
      const make = async (tx: Tx, asked: Asked) => {
        const expiry = readExpiry(expires_at, asked.now)
        const input = { name: name.trim(), scopes, expires_at: expiry }
        return { status: 201, body: await createKey(tx, asked, input) }
      }
      return answerOnce(context, request, reply, make, { secret: true })
    },
  )

  server.delete(
    '/admin/keys/:id',
    {
      config: { session: 'keys:manage' },
      schema: hiddenById,
    },
    async (request, reply) => {
      await inTenantOf(context, request, revokeKeyById, request.params.id)
      return reply.code(204).send()
    },
  )
}

/** Invariant: whatever is left out is revoked, for of the others there are no more than these. */
function showKeys(rows: readonly ListedKey[]) {
  const truncated = rows.length > MOST_KEYS
  const dropped = truncated ? rows.findIndex(row => row.revoked_at !== null) : -1
  const data = rows
    .filter((_, i) => i !== dropped)
    .map(({ key_id, ...row }) => ({ id: key_id, ...row }))
  return truncated ? { data, truncated } : { data }
}

function readExpiry(text: string | undefined, now: number): Date | null {
  if (text === undefined) return null
  const at = parseMoment(text)
  if (at === null || at <= now)
    throw invalid([{ path: 'expires_at', message: 'must be in the future' }])
  return new Date(at)
}
