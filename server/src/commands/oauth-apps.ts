// The operator's commands about OAuth apps.
import { readScopes } from '../keys/manage-keys.ts'
import { listApps } from '../oauth/apps.queries.ts'
import { createApp, removeApp, rotateSecret } from '../oauth/manage-apps.ts'
import { defineCommand, readText } from './arguments.ts'
import { withTenant } from './open-context.ts'
import { json, printFields, printRows } from './print.ts'

const tenant = { value: 'tenant id', required: true, about: 'whose app' } as const
const app = {
  value: 'client id',
  required: true,
  about: 'the id as oauth-app list shows it',
} as const

const create = defineCommand({
  name: 'oauth-app create',
  about: 'Creates an OAuth app and shows its secret, this once.',
  options: {
    tenant,
    name: { value: 'text', required: true, about: 'what people read when they are asked' },
    'redirect-uri': {
      value: 'url',
      required: true,
      many: true,
      about: 'where it may be answered; give it again for each further one',
    },
    scopes: {
      value: 'all|a,b',
      required: true,
      about: 'what it may ask for: all, or names with commas',
    },
    json,
  },
  run: async values => {
    const name = readText('name', values.name)
    const input = { name, redirect_uris: values['redirect-uri'], scopes: readScopes(values.scopes) }
    const made = await withTenant(values.tenant, (tx, asked) => createApp(tx, asked, input))
    printFields(values.json, made)
  },
})

const COLUMNS = ['client_id', 'name', 'redirect_uris', 'scopes', 'created_at', 'rotated_at']

const list = defineCommand({
  name: 'oauth-app list',
  about: 'Lists the OAuth apps of a tenant; their secrets are not stored.',
  options: { tenant, json },
  run: async values => {
    const rows = await withTenant(values.tenant, tx => listApps(tx, values.tenant))
    const shown = rows.map(({ secret_hash: _, created_by: __, ...row }) => row)
    printRows(values.json, COLUMNS, shown)
  },
})

const rotate = defineCommand({
  name: 'oauth-app rotate-secret',
  about: 'Gives the app a new secret and shows it, this once; the old one stops working.',
  options: { tenant, app, json },
  run: async values => {
    const made = await withTenant(values.tenant, (tx, asked) => rotateSecret(tx, asked, values.app))
    printFields(values.json, made)
  },
})

const remove = defineCommand({
  name: 'oauth-app delete',
  about: 'Removes an app; every token it was given stops working within a second.',
  options: { tenant, app, json },
  run: async values => {
    await withTenant(values.tenant, (tx, asked) => removeApp(tx, asked, values.app))
    printFields(values.json, { client_id: values.app, status: 'deleted' })
  },
})

export const commands = [create, list, rotate, remove]
