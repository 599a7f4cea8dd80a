// The operator's commands about people: the first owner of a tenant, and help for whoever is locked out.
import { accountKey } from '../accounts/email-address.ts'
import { inviteUser } from '../accounts/invite-user.ts'
import { listMembers } from '../accounts/manage-members.ts'
import { dropSecondFactor, setUserEnabled, startReset } from '../accounts/rescue-user.ts'
import { ROLE_NAMES } from '../accounts/roles.ts'
import { findUserByEmail, type User } from '../accounts/users.queries.ts'
import { readConfig } from '../config.ts'
import { operatorOrigin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { publicUrl } from '../platform/public-url.ts'
import { CommandError, defineCommand, readOneOf, readText } from './arguments.ts'
import { requireKnown, withContext } from './open-context.ts'
import { json, printFields, printRows } from './print.ts'

const tenant = { value: 'tenant id', required: true, about: 'which organization' } as const
const email = {
  value: 'address',
  required: true,
  about: 'the address the person logs in with',
} as const

const create = defineCommand({
  name: 'user create',
  about:
    'Invites a person and shows the link to choose a password with; it works once, for 24 hours.',
  options: {
    tenant,
    email,
    role: { value: 'role', required: true, about: `one of ${ROLE_NAMES.join(', ')}` },
    json,
  },
  run: async values => {
    const role = readOneOf('role', values.role, ROLE_NAMES)
    const input = { email: readText('email', values.email), role }
    await withContext(readConfig(), async context => {
      const base_url = publicUrl(context.config, null)
      const invited = await inviteUser(context, values.tenant, operatorOrigin(), base_url, input)
      printFields(values.json, invited)
    })
  },
})

const COLUMNS = ['id', 'email', 'role', 'status', 'second_factor', 'last_login_at', 'created_at']

const list = defineCommand({
  name: 'user list',
  about: 'Lists the people of a tenant.',
  options: { tenant, json },
  run: async values => {
    await withContext(readConfig(), async context => {
      await requireKnown(context, values.tenant)
      printRows(values.json, COLUMNS, await listMembers(context, values.tenant))
    })
  },
})

const disable = defineCommand({
  name: 'user disable',
  about: 'Shuts a person out of every tenant: sessions and access tokens end at once.',
  options: { email, undo: { about: 'let the person in again' }, json },
  run: async values => {
    await withContext(readConfig(), async context => {
      const user = await findPerson(context, values.email)
      await setUserEnabled(context, operatorOrigin(), user, values.undo ?? false)
      const status = values.undo ? 'active' : 'disabled'
      printFields(values.json, { id: user.user_id, email: user.email, status })
    })
  },
})

const reset = defineCommand({
  name: 'user reset',
  about: 'Shows a link to choose a new password with; it works once, for 24 hours.',
  options: {
    email,
    'second-factor': { about: 'also remove a second factor that was lost' },
    json,
  },
  run: async values => {
    await withContext(readConfig(), async context => {
      const user = await findPerson(context, values.email)
      requireUsable(user)
      if (values['second-factor']) {
        await dropSecondFactor(context, operatorOrigin(), user, null)
      }
      const base_url = publicUrl(context.config, null)
      const sent = await startReset(context, operatorOrigin(), base_url, user, null)
      const { user_id: id } = user
      const shown = { id, email: user.email, reset_url: sent.url, expires_at: sent.expires_at }
      printFields(values.json, shown)
    })
  },
})

export const commands = [create, list, disable, reset]

async function findPerson({ db }: Context, address: string): Promise<User> {
  const user = await db.inTenant(RESERVED_TENANT, tx => findUserByEmail(tx, accountKey(address)))
  if (!user) throw new CommandError(`--email: nobody has the address ${address}`)
  return user
}

/** Invariant: a link is shown only where it works: a reset joins no tenant and opens no disabled account. */
function requireUsable({ email, status, password_hash }: User): void {
  if (status !== 'active') {
    throw new CommandError(
      `user reset: ${email} is disabled; \`user disable --undo\` lets them in again`,
    )
  }
  if (password_hash === null) {
    throw new CommandError(
      `user reset: ${email} has not accepted the invitation; \`user create\` gives a new link`,
    )
  }
}
