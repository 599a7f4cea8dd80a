// Waits for the end of the process that started it, then ends the PostgreSQL it left and removes what was temporary.
import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'

const [dataDir = '', temporary = '', mounted = ''] = process.argv.slice(2)

let said = ''
for await (const chunk of process.stdin) said += chunk
if (said === '') await endLeft()

async function endLeft(): Promise<void> {
  const { preparePostgresFolder } = await import('../src/platform/postgres-folder.ts')
  const { endPostmaster } = await import('../src/platform/postgres-process.ts')
  const folder = await preparePostgresFolder(dataDir)
  await endPostmaster(folder, null)
  await folder.socket.close()
  if (mounted !== '') spawnSync('umount', ['-l', mounted])
  if (temporary !== '') await rm(temporary, { recursive: true, force: true, maxRetries: 5 })
}
