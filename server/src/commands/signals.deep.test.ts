// Proves that a signal ends a server, and a command on the embedded database, together with their PostgreSQL.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dataFolder, launch, serve, until } from '../../test/program.ts'

const folder = dataFolder()
const env = { BELLWETHER_DATA_DIR: folder, BELLWETHER_LOG_LEVEL: 'error' }
const isRunning = () => existsSync(join(folder, 'postgres/postmaster.pid'))

it.each(['SIGHUP', 'SIGINT'] as const)('%s ends a server and its PostgreSQL', async signal => {
  const program = await serve(env)
  program.child.kill(signal)
  expect((await program.finished).code).toBe(0)
  expect(isRunning()).toBe(false)
})

it.each([
  ['SIGINT', ['verify']],
  ['SIGTERM', ['tenant', 'list']],
  ['SIGHUP', ['backup', join(folder, 'x.backup')]],
] as const)('%s ends a command (%s) and the PostgreSQL it started', async (signal, args) => {
  const program = launch([...args], env)
  await until(() => (isRunning() ? true : undefined))
  program.child.kill(signal)
  const { code, stderr } = await program.finished
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^bellwether: .*ended by a signal.*\n$/),
  })
  expect(isRunning()).toBe(false)
})

it.each([
  ['a first start', 0, ['serve'], /^$/],
  ['a first command', 1, ['tenant', 'list'], /^bellwether: ended by a signal\n$/],
] as const)(
  'Ctrl-C while the database is made ends %s, and nothing is said to be wrong',
  async (_, code, args, said) => {
    const data = dataFolder()
    const program = launch([...args], { ...env, PORT: '0', BELLWETHER_DATA_DIR: data })
    // A terminal tells it to everyone in front of it.
    const maker = await until(() => childOf(program.child.pid!, 'initdb'))
    program.child.kill('SIGINT')
    process.kill(maker, 'SIGINT')
    expect(await program.finished).toMatchObject({ code, stderr: expect.stringMatching(said) })
    // Now and then its maker does not hear it: the database is whole then. Half of one is never left.
    expect(readdirSync(data).filter(name => name.startsWith('postgres.init'))).toEqual([])
  },
)

function childOf(pid: number, name: string): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    const isIt = (one: string) => readFileSync(`/proc/${one}/comm`, 'utf8') === `${name}\n`
    return Number(children.filter(Boolean).find(isIt)) || undefined
  } catch {
    return undefined
  }
}
