// The operator's commands for the day the data is lost: everything into one file, and back.
import { resolve } from 'node:path'
import { backUp, requireOwnSchema } from '../backup/back-up.ts'
import { BackupError } from '../backup/backup-file.ts'
import { checkFile, requireEmpty, restore } from '../backup/restore.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../platform/context.ts'
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
    'exit code 1 on a fault.',
  options: {
    unverified: {
      about:
        'restore also what no key proves, such as a backup whose key is lost: whoever wrote the file is believed',
    },
    json,
  },
  operand: { value: 'FILE', about: 'what backup has written' },
  run: async (values, file) => {
    const config = readConfig()
    requireSecretKey(config)
    const path = resolve(file)
    const options = { unverified: values.unverified ?? false }
    const failed = (error: Error): never => {
      throw explain(error, path, RESTORE)
    }
    // Invariant: what is refused by its first line, or for the rows that are there, leaves the schema as it was.
    await checkFile(() => findSecrets(config), path, options).catch(failed)
    const check = (owner: Database) => requireEmpty(owner).catch(failed)
    await withContext(
      config,
      async (context, { withOwner }) => {
        const done = await withOwner(owner => restore(context, owner, path, options)).catch(failed)
        const { clean, tenants } = await verifyTenants(context)
        if (!clean) process.exitCode = 1
        if (!done.proven) warn(UNPROVEN)
        printFields(values.json, { ...done, tenants: tenants.length, clean })
        if (!values.json) for (const one of tenants) for (const fault of one.faults) print(fault)
      },
      check,
    )
  },
})

const UNPROVEN =
  'nothing is proven: whoever could write the file may have put in any password, key, role or score, and `clean` ' +
  'says only that its numbers fit each other'

function warn(line: string): void {
  process.stderr.write(`bellwether: restore: ${line}\n`)
}

type Doing = { name: string; done: string; file: 'reading' | 'writing' }

const BACKUP: Doing = { name: 'backup', done: 'written', file: 'writing' }
const RESTORE: Doing = { name: 'restore', done: 'restored', file: 'reading' }

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

export const commands = [backupCommand, restoreCommand]
