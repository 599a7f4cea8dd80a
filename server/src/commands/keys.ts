// The operator's commands about API keys.
import { readConfig } from '../config.ts'
import { listKeys } from '../keys/keys.queries.ts'
import { createKey, readScopes, revokeKeyById } from '../keys/manage-keys.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { parseSpan } from '../platform/dates.ts'
import { CommandError, defineCommand, readText } from './arguments.ts'
import { requireKnown, withContext, withTenant } from './open-context.ts'
import { json, printFields, printRows } from './print.ts'

const tenant = { value: 'tenant id', required: true, about: 'whose key' } as const

const create = defineCommand({
  name: 'key create',
  about: 'Creates an API key and shows it, this once.',
  options: {
    tenant,
    name: { value: 'text', required: true, about: 'what it is for' },
    scopes: {
      value: 'all|a,b',
      required: true,
      about: 'what it may do: all, or names with commas',
    },
    expires: { value: 'ISO date', about: 'until when it is valid, for example 2030-01-31' },
    json,
  },
  run: async values => {
    const name = readText('name', values.name)
    const scopes = readScopes(values.scopes)
    await withContext(readConfig(), async context => {
      const expires_at = readExpiry(values.expires, context.clock.now())
      const input = { name, scopes, expires_at }
      printFields(values.json, await createKey(context, values.tenant, operatorOrigin(), input))
    })
  },
})

const COLUMNS = ['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at', 'revoked_at']

const list = defineCommand({
  name: 'key list',
  about: 'Lists the keys of a tenant; the keys themselves are not stored.',
  options: { tenant, json },
  run: async values => {
    const rows = await withTenant(values.tenant, tx => listKeys(tx, values.tenant))
    const shown = rows.map(({ key_id, ...row }) => ({ id: key_id, ...row }))
    printRows(values.json, COLUMNS, shown)
  },
})

const revoke = defineCommand({
  name: 'key revoke',
  about: 'Revokes a key; every process refuses it within a second.',
  options: {
    tenant,
    key: { value: 'key id', required: true, about: 'the id as key list shows it' },
    json,
  },
  run: async values => {
    await withContext(readConfig(), async context => {
      await requireKnown(context, values.tenant)
      const row = await revokeKeyById(context, values.tenant, operatorOrigin(), values.key)
      const { key_id: id, name, revoked_at } = row
      printFields(values.json, { id, name, revoked_at })
    })
  },
})

export const commands = [create, list, revoke]

/** A date means the end of that day. */
function readExpiry(text: string | undefined, now: number): Date | null {
  if (text === undefined) return null
  const at = parseSpan(text)?.last
  if (at === undefined)
    throw new CommandError('--expires must be an ISO 8601 date or date-time with zone')
  if (at <= now) throw new CommandError('--expires must be in the future')
  return new Date(at)
}
