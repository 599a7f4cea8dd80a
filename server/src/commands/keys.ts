// The operator's commands about API keys.
import { listKeys } from '../keys/keys.queries.ts'
import { createKey, readScopes, revokeKeyById } from '../keys/manage-keys.ts'
import { parseSpan } from '../platform/dates.ts'
import { CommandError, defineCommand, readText } from './arguments.ts'
import { withTenant } from './open-context.ts'
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
    const made = await withTenant(values.tenant, (tx, asked) => {
      const expires_at = readExpiry(values.expires, asked.now)
      return createKey(tx, asked, { name, scopes, expires_at })
    })
    printFields(values.json, made)
  },
})

const COLUMNS = [
  ...['id', 'name', 'scopes', 'created_at', 'creator_left', 'expires_at', 'last_used_at'],
  'revoked_at',
]

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
    const row = await withTenant(values.tenant, (tx, asked) => revokeKeyById(tx, asked, values.key))
    const { key_id: id, name, revoked_at } = row
    printFields(values.json, { id, name, revoked_at })
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
