// Proves that a signal ends a server, and a command on the embedded database, together with their PostgreSQL.
import { existsSync } from 'node:fs'
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
