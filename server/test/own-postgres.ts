// A PostgreSQL for tests and tools: it ends with the process that asked for it, also where that is interrupted or killed.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts'

export type OwnPostgres = {
  dataDir: string
  settings?: Record<string, string>
  /** A folder that is of no use without the process, and a disk in it. */
  temporary?: string
  mounted?: string | null
}

const KEEPER = fileURLToPath(new URL('end-left-postgres.ts', import.meta.url))
const silent = { info() {}, warn() {}, error() {} }

export async function startOwnPostgres(own: OwnPostgres): Promise<EmbeddedPostgres> {
  const { dataDir, settings = {}, temporary = '', mounted } = own
  const dismiss = startKeeper(dataDir, temporary, mounted ?? '')
  const server = await startEmbeddedPostgres({ dataDir, log: silent, settings })
  const stop = () => server.stop().then(dismiss)
  return { ...server, stop }
}

/** In a session of its own: Ctrl-C does not reach it. It hears of the end of this process by the end of its input. */
function startKeeper(...folders: string[]): () => void {
  const keeper = spawn(process.execPath, [KEEPER, ...folders], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  keeper.unref()
  keeper.stdin.on('error', () => {})
  return () => void keeper.stdin.end('done')
}
