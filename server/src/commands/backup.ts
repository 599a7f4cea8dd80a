// The operator's commands for the day the data is lost: everything into one file, and back.
import { resolve } from 'node:path'
import { type Applied, applyTombstones, revokeKeys } from '../backup/apply-tombstones.ts'
import { backUp, requireOwnSchema } from '../backup/back-up.ts'
import { BackupError } from '../backup/backup-file.ts'
import { checkFile, type Restored, requireEmpty, restore } from '../backup/restore.ts'
import { readTombstones, writeTombstones } from '../backup/tombstones.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../platform/context.ts'
import { countOf } from '../platform/counted.ts'
import type { Database } from '../platform/database.ts'
import { AWAY, isAway } from '../platform/database-errors.ts'
import { CommandError, defineCommand } from './arguments.ts'
import { watchSignals } from './drain.ts'
import { sayFileFault } from './file-faults.ts'
import {
  findSecrets,
  type Opened,
  requireDatabase,
  requireSecretKey,
  withContext,
} from './open-context.ts'
import { json, print, printFields } from './print.ts'
import { verifyTenants } from './verify.ts'

const unverified = {
  about:
    'believe also what no key proves, such as a file whose key is lost: whoever wrote it may have put in anything',
} as const

const backupCommand = defineCommand({
  name: 'backup',
  about:
    'Writes every row, as it is at one moment, to a file that only its owner can read; the service goes on. ' +
    'Keep the key too: secret.key of the data folder, or BELLWETHER_SECRET_KEY.',
  options: {
    json,
  },
  operand: {
    value: 'FILE',
    about: 'where to; a file of that name is replaced, a name in .gz is compressed',
  },
  run: async (values, file) => {
    const config = readConfig()
    requireSecretKey(config)
    requireDatabase(config)
    const path = resolve(file)
    const { signal } = watchSignals()
    const write = async (context: Context, { withOwner }: Opened) => {
      const done = await withOwner(owner => backUp(context, owner, path, signal))
      printFields(values.json, done)
    }
    const check = (owner: Database) =>
      requireOwnSchema(owner).catch(error => {
        throw explain(error, path, BACKUP)
      })
    await withContext(config, write, check).catch(error => {
      if (!signal.aborted) throw explain(error, path, BACKUP)
      throw new CommandError('backup: ended by a signal; nothing was written', { cause: error })
    })
  },
})

const restoreCommand = defineCommand({
  name: 'restore',
  about:
    'Fills an empty database of the same schema from a backup, in one transaction, then proves it (verify); ' +
    'exit code 1 on a fault. Everybody has to log in anew. Stop the service before.',
  options: {
    tombstones: {
      value: 'file',
      about: 'what `tombstones` has written since: it is revoked, removed and erased again',
    },
    'revoke-keys': { about: 'revoke every API key that is not revoked in the backup' },
    unverified,
    json,
  },
  operand: { value: 'FILE', about: 'what backup has written' },
  run: async (values, file) => {
    const config = readConfig()
    requireSecretKey(config)
    const path = resolve(file)
    const options = { unverified: values.unverified ?? false }
    const graves = values.tombstones === undefined ? null : resolve(values.tombstones)
    const failed = (error: Error): never => {
      throw explain(error, path, RESTORE)
    }
    // Invariant: what is refused by its first line, or for the rows that are there, leaves the schema as it was.
    await checkFile(() => findSecrets(config), path, options).catch(failed)
    const tombstones = graves === null ? null : await read(findSecrets(config), graves, options)
    const check = (owner: Database) => requireEmpty(owner).catch(failed)
    await withContext(
      config,
      (context, { withOwner }) =>
        withOwner(async owner => {
          const done = await restore(context, owner, path, options).catch(failed)
          const { proven, ended, in_force, ...told } = done
          const again = tombstones && (await applyTombstones(context, owner, tombstones))
          const revoked = values['revoke-keys'] ? await revokeKeys(context, owner) : null
          const { clean, tenants } = await verifyTenants(context)
          if (!clean) process.exitCode = 1
          if (!proven) warn('restore', UNPROVEN)
          if (!again) warn('restore', sayWhatIsBack(done))
          const counts = {
            sessions_ended: ended.sessions,
            links_ended: ended.links,
            tokens_ended: ended.tokens,
            codes_ended: ended.codes,
            ...(again && { ended_again: again.ended }),
            ...(revoked && { keys_revoked: revoked.ended }),
          }
          printFields(values.json, { ...told, proven, ...counts, tenants: tenants.length, clean })
          if (again) tellRefused('restore', again)
          if (!values.json) for (const one of tenants) for (const fault of one.faults) print(fault)
        }),
      check,
    )
  },
})

const tombstonesCommand = defineCommand({
  name: 'tombstones',
  about:
    'Writes the ids and hashes of what was revoked, removed, disabled and erased to a file that only its owner can ' +
    'read; `restore` ends it again. Take it often: it is small.',
  options: {
    apply: { about: 'read such a file instead, and end in this database what it names' },
    unverified,
    json,
  },
  operand: { value: 'FILE', about: 'where to; a file of that name is replaced' },
  run: async (values, file) => {
    const config = readConfig()
    requireSecretKey(config)
    requireDatabase(config)
    const path = resolve(file)
    const { apply = false, unverified = false } = values
    const doing = apply ? APPLY : TOMBSTONES
    const failed = (error: Error): never => {
      throw explain(error, path, doing)
    }
    const given = apply ? await read(findSecrets(config), path, { unverified }) : []
    await withContext(
      config,
      (context, { withOwner }) =>
        withOwner(async owner => {
          if (!apply) {
            const written = await writeTombstones(context, owner, path).catch(failed)
            return printFields(values.json, written)
          }
          const applied = await applyTombstones(context, owner, given)
          printFields(values.json, { ended_again: applied.ended })
          tellRefused('tombstones', applied)
        }),
      owner => requireOwnSchema(owner).catch(failed),
    )
  },
})

function read(...[secrets, path, options]: Parameters<typeof readTombstones>) {
  return readTombstones(secrets, path, options).catch(error => {
    throw explain(error, path, APPLY)
  })
}

function tellRefused(name: string, { refused }: Applied): void {
  for (const one of refused) warn(name, `not ended again: ${one}`)
  if (refused.length > 0) process.exitCode = 1
}

function sayWhatIsBack({ created_at, in_force }: Restored): string {
  const { keys, grants, members, webhooks, employees } = in_force
  const parts = [
    countOf(keys, 'API key'),
    countOf(grants, 'OAuth grant'),
    countOf(members, 'member'),
    countOf(webhooks, 'webhook'),
  ]
  return (
    `what was revoked, removed or erased after ${created_at} may be back: ${parts.join(', ')} in force and ` +
    `${countOf(employees, 'employee')}, as they were then, with their passwords. A file of \`tombstones\` ends it again ` +
    '(`tombstones FILE --apply`); without one, restore with --revoke-keys and look through the people'
  )
}

const UNPROVEN =
  'nothing is proven: whoever could write the file may have put in any password, key, role or score, and `clean` ' +
  'says only that its numbers fit each other'

function warn(name: string, line: string): void {
  process.stderr.write(`bellwether: ${name}: ${line}\n`)
}

type Doing = { name: string; done: string; file: 'reading' | 'writing' }

const BACKUP: Doing = { name: 'backup', done: 'written', file: 'writing' }
const RESTORE: Doing = { name: 'restore', done: 'restored', file: 'reading' }
const TOMBSTONES: Doing = { name: 'tombstones', done: 'written', file: 'writing' }
const APPLY: Doing = { name: 'tombstones', done: 'ended', file: 'reading' }

function explain(error: NodeJS.ErrnoException, path: string, { name, done, file }: Doing): Error {
  const { code = '', message } = error
  const line = (fault: string, unless = '') =>
    new CommandError(`${name}: ${fault}; ${unless}nothing was ${done}`, { cause: error })
  if (error instanceof BackupError) return line(message)
  if (code.startsWith('Z_')) return line(`the file cannot be unpacked: ${message}`)
  const wrong = sayFileFault(error, path, file)
  if (wrong !== null) return line(wrong)
  if (!isAway(error)) return error
  // Of a commit whose answer is lost nobody knows.
  const unless = name === 'restore' ? 'if it is still empty, ' : ''
  return line(`the database failed: ${AWAY[code]}`, unless)
}

export const commands = [backupCommand, restoreCommand, tombstonesCommand]
