// Ends again, in a database that was restored, what had ended after its backup was made.
import { asOperator } from '../accounts/identity.ts'
import { changeMember, removeMember } from '../accounts/manage-members.ts'
import { hashChosen } from '../accounts/password-hash.ts'
import { setUserEnabled } from '../accounts/rescue-user.ts'
import { auditPerson } from '../accounts/tell-tenant.ts'
import { findUser, lockUser, setPassword, useRecoveryCode } from '../accounts/users.queries.ts'
import { deleteTenant } from '../delete-tenant.ts'
import { redactEvent } from '../events/redact-event.ts'
import { revokeKeyById } from '../keys/manage-keys.ts'
import { changeTenant } from '../manage-tenants.ts'
import { endGrantById } from '../oauth/end-grant.ts'
import { removeApp } from '../oauth/manage-apps.ts'
import { operatorOrigin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { type Database, RESERVED_TENANT } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import { newToken } from '../platform/tokens.ts'
import { eraseEmployee } from '../privacy/erase-employee.ts'
import { findTenant } from '../tenants/tenants.queries.ts'
import { changeWebhook, removeWebhook } from '../webhooks/manage-webhooks.ts'
import { readAll } from './backup.queries.ts'
import {
  KINDS,
  type Kind,
  listKeysInForce,
  listTombstones,
  type Tombstone,
} from './tombstones.queries.ts'

/** False: there was nothing to end. */
type End = (context: Context, tombstone: Tombstone) => Promise<unknown>

/** By the operations of every day, so that each is in the audit log and takes along what hangs on it. */
const ENDS: Readonly<Record<Kind, End>> = {
  deleted_tenant: async (context, { id }) => {
    const tenant = await context.db.inTenant(id, tx => findTenant(tx, id))
    return (
      tenant !== undefined && deleteTenant(context, id, operatorOrigin(), tenant.name, () => {})
    )
  },
  suspended_tenant: (context, { id }) =>
    asOperator(context, id, changeTenant, { status: 'suspended' }),
  disabled_user: async (context, { id }) => {
    const user = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, id))
    return user !== undefined && setUserEnabled(context, operatorOrigin(), user, false)
  },
  changed_password: losePassword,
  used_code: (context, { id, mark }) => {
    const at = new Date(context.clock.now())
    return context.db.inTenant(RESERVED_TENANT, tx =>
      useRecoveryCode(tx, id, Buffer.from(mark, 'hex'), at),
    )
  },
  removed_member: (context, { tenant_id, id }) =>
    removeMember(context, tenant_id, operatorOrigin(), id),
  disabled_member: (context, { tenant_id, id }) =>
    asOperator(context, tenant_id, changeMember, id, { status: 'disabled' }),
  revoked_key: (context, { tenant_id, id }) => asOperator(context, tenant_id, revokeKeyById, id),
  ended_grant: (context, { tenant_id, id }) =>
    asOperator(context, tenant_id, endGrantById, id, null),
  deleted_app: (context, { tenant_id, id }) => asOperator(context, tenant_id, removeApp, id),
  deleted_webhook: (context, { tenant_id, id }) =>
    asOperator(context, tenant_id, removeWebhook, id),
  disabled_webhook: (context, { tenant_id, id }) =>
    asOperator(context, tenant_id, changeWebhook, id, { status: 'disabled' }, context),
  redacted_event: (context, { tenant_id, id }) => asOperator(context, tenant_id, redactEvent, id),
  erased_employee: (context, { tenant_id, id }) =>
    eraseEmployee(context, tenant_id, operatorOrigin(), id),
}

/** The one of the backup no longer opens the account: its owner chooses another by a reset link. */
async function losePassword(context: Context, { id, mark }: Tombstone): Promise<boolean> {
  const { clock, config, db } = context
  const hash = await hashChosen(id, newToken(), config.password_cost)
  const now = clock.now()
  return db.inTenant(RESERVED_TENANT, async tx => {
    const user = await lockUser(tx, id)
    if (!user?.password_hash || user.password_changed_at!.getTime() >= Number(mark)) return false
    await setPassword(tx, id, hash, new Date(now))
    await auditPerson(tx, now, operatorOrigin(), {
      action: 'password.changed',
      subject_kind: 'user',
      subject_id: id,
      before: { changed_at: user.password_changed_at },
      after: { changed_at: new Date(now) },
    })
    return true
  })
}

export type Applied = {
  ended: number
  /** What the rules of every day forbid, such as removing the last owner: each is for the operator to judge. */
  refused: string[]
}

/** May be repeated: what has ended in this database already, or never was in it, is passed over. */
export async function applyTombstones(
  context: Context,
  owner: Database,
  tombstones: readonly Tombstone[],
): Promise<Applied> {
  const own = new Set((await readAll(owner, listTombstones)).map(nameOf))
  const left = tombstones.filter(one => !own.has(nameOf(one)))
  const applied: Applied = { ended: 0, refused: [] }
  for (const kind of KINDS) {
    for (const one of left.filter(some => some.kind === kind)) {
      try {
        if ((await ENDS[kind](context, one)) !== false) applied.ended++
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'UNAVAILABLE') throw error
        if (error.code !== 'NOT_FOUND')
          applied.refused.push(`${kind} ${one.id} of ${one.tenant_id}: ${error.message}`)
      }
    }
  }
  return applied
}

/** For whoever has no tombstones, and would rather give out new keys. */
export async function revokeKeys(context: Context, owner: Database): Promise<Applied> {
  return applyTombstones(context, owner, await readAll(owner, listKeysInForce))
}

const nameOf = ({ kind, tenant_id, id, mark }: Tombstone) => [kind, tenant_id, id, mark].join(' ')
