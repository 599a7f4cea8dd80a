// Starts and ends the processes a benchmark compares, each on a port of its own on loopback.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Target } from './load.ts'

export type Running = { target: Target; pid: number; stop(): Promise<void> }

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const START_MS = 60_000

/** Waits for a line that names the address, then hands it over. */
export function startProcess(args: readonly string[], env: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = () =>
    new Promise<void>(resolve => {
      child.once('exit', () => resolve())
      child.kill('SIGTERM')
    })
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${args.join(' ')} did not start`))
    }, START_MS)
    let said = ''
    child.stdout.on('data', chunk => {
      said += chunk
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (!port) return
      clearTimeout(late)
      resolve({ target: { host: '127.0.0.1', port: Number(port) }, pid: child.pid!, stop })
    })
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`${args.join(' ')} ended with ${code}`)))
  })
}

/** The service itself, without the worker unless asked: what it sends later is measured elsewhere. */
export function startService(dataDir: string, options: readonly string[] = ['--no-worker']) {
  const env = { BELLWETHER_DATA_DIR: dataDir, PORT: '0', BELLWETHER_LOG_LEVEL: 'error' }
  return startProcess(['server/bellwether.js', 'serve', ...options], env)
}
