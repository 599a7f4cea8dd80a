// The dashboard's routes about how scores are computed, and what becomes of keys of people who leave: everyone may see
// it, few may change it.
import Type from 'typebox'
import { type Identity, identityOf, inTenantOf } from '../accounts/identity.ts'
import { chooseLeaverKeys } from '../keys/choose-leaver-keys.ts'
import { HOUR } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hidden } from '../platform/schemas.ts'
import { findTenant } from '../tenants/tenants.queries.ts'
import { changeScoringSettings, readScoringSettings } from './change-scoring-settings.ts'

/** Their bounds are the scoring's own, which refuses what does not fit by name. */
const number = Type.Optional(Type.Integer())
const SettingsBody = Type.Object(
  {
    starting_score: number,
    half_life_days: number,
    recovery_cap: number,
    clean_streak_days: number,
    green: number,
    yellow: number,
    orange: number,
    red: number,
    revoke_keys_of_leavers: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1 },
)

export function settingsAdmin(server: Server, context: Context): void {
  server.get('/admin/settings', { config: { session: 'member' }, schema: hidden }, async request =>
    showSettings(context, identityOf(request)),
  )

  server.patch(
    '/admin/settings',
    { config: { session: 'settings:manage' }, schema: { ...hidden, body: SettingsBody } },
    request =>
      inTenantOf(context, request, async (tx, asked) => {
        const { revoke_keys_of_leavers, ...scoring } = request.body
        if (Object.keys(scoring).length > 0) await changeScoringSettings(tx, asked, scoring)
        if (revoke_keys_of_leavers !== undefined) {
          await chooseLeaverKeys(tx, asked, revoke_keys_of_leavers)
        }
        return readScoringSettings(tx, asked.tenant_id)
      }),
  )
}

async function showSettings({ db }: Context, identity: Identity) {
  const { tenant_id, tenant_name, plan, limits } = identity
  const { recalculation_window_ms, ...rates } = limits
  const window = { recalculation_window_hours: recalculation_window_ms / HOUR }
  const [scoring, tenant] = await db.inTenant(tenant_id, tx =>
    Promise.all([readScoringSettings(tx, tenant_id), findTenant(tx, tenant_id)]),
  )
  return {
    ...scoring,
    name: tenant_name,
    plan,
    limits: { ...rates, ...window },
    retention_months: tenant?.retention_months,
  }
}
