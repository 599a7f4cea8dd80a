// The program: finds the command, runs it, and turns a fault into one clear line and exit code 1.
import { type Command, CommandError, explain } from './commands/arguments.ts'
import { ConfigError } from './config.ts'
import { sayCause } from './platform/database-errors.ts'
import { ApiError, isUnavailable } from './platform/errors.ts'
import { hidePersonal } from './platform/log-options.ts'

/** Loaded only when asked for, so that a small command does not wait for the whole server. */
const GROUPS: Record<string, () => Promise<{ commands: readonly Command[] }>> = {
  serve: () => import('./commands/serve.ts'),
  worker: () => import('./commands/serve.ts'),
  migrate: () => import('./commands/database.ts'),
  'seed-demo': () => import('./commands/database.ts'),
  tenant: () => import('./commands/tenants.ts'),
  key: () => import('./commands/keys.ts'),
  webhook: () => import('./commands/webhooks.ts'),
  user: () => import('./commands/users.ts'),
  'oauth-app': () => import('./commands/oauth-apps.ts'),
  audit: () => import('./commands/audit.ts'),
  verify: () => import('./commands/verify.ts'),
  backup: () => import('./commands/backup.ts'),
  restore: () => import('./commands/backup.ts'),
  tombstones: () => import('./commands/backup.ts'),
}

async function main(args: readonly string[]): Promise<void> {
  const [group = '--help'] = args
  if (group === '--help' || group === '-h' || group === 'help') return showAll()
  const load = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined
  if (!load) throw new CommandError(`there is no command "${group}" (see --help)`)
  const { commands } = await load()
  const command = commands.find(one => startsWith(args, one.name))
  const rest = args.slice(command?.name.split(' ').length)
  if (args.includes('--help') || args.includes('-h')) {
    const shown = command ? [command] : commands
    return void process.stdout.write(`${shown.map(explain).join('\n\n\n')}\n`)
  }
  if (command) return command.run(rest)
  const names = commands.map(one => one.name).join(', ')
  throw new CommandError(`there is no command "${args.slice(0, 2).join(' ')}"; there are ${names}`)
}

function startsWith(args: readonly string[], name: string): boolean {
  return name.split(' ').every((word, i) => args[i] === word)
}

async function showAll(): Promise<void> {
  const modules = await Promise.all(Object.values(GROUPS).map(load => load()))
  const commands = [...new Set(modules)].flatMap(one => one.commands)
  const width = Math.max(...commands.map(one => one.name.length))
  const lines = commands.map(one => `  ${one.name.padEnd(width)}  ${one.about}`)
  const text = [
    'bellwether <command> [options]',
    '',
    ...lines,
    '',
    'bellwether <command> --help explains one.',
  ]
  process.stdout.write(`${text.join('\n')}\n`)
}

/** What the operator can put right is one line; anything else is a fault of ours and shows its stack. */
function describe(error: unknown): string {
  const cause = isUnavailable(error) ? sayCause(error as Error) : null
  if (cause !== null) return `the database cannot be used now: ${hidePersonal(cause)}`
  const known = [CommandError, ConfigError, ApiError].some(kind => error instanceof kind)
  if (known) return (error as Error).message.trim().replace(/\s*\n\s*/g, '; ')
  return hidePersonal(error instanceof Error ? (error.stack ?? error.message) : String(error))
}

/** Without a listener a reader that is gone would end the process before it closes what it opened. */
let unwritten: string | undefined
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  unwritten ??= error.code
})
// What is said beside the answer ends nothing, whoever no longer reads it.
process.stderr.on('error', () => {})

try {
  await main(process.argv.slice(2))
  if (unwritten) throw new CommandError(`the output could not be written (${unwritten})`)
  process.exit()
} catch (error) {
  process.stderr.write(`bellwether: ${describe(error)}\n`)
  process.exit(1)
}
