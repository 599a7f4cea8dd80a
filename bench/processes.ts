// Starts and ends the processes a benchmark compares, each on a port of its own on loopback.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Target } from './load.ts'
import { SECRET_KEY, type Stage } from './stage.ts'

export type Running = { target: Target; pid: number; stop(): Promise<void> }

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const START_MS = 60_000

/** Waits for a line that says it runs, and takes the address from it where there is one. */
export function startProcess(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Running> {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Where a benchmark ends by a fault of its own, nothing of it goes on running.
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${args.join(' ')} did not start`))
    }, START_MS)
    let said = ''
    child.stdout.on('data', chunk => {
      said += chunk
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (!port && !/worker runs/.test(said)) return
      clearTimeout(late)
      const target = { host: '127.0.0.1', port: Number(port ?? 0) }
      resolve({ target, pid: child.pid!, stop: () => stop(child) })
    })
    child.once('error', reject)
    child.once('exit', code => {
      clearTimeout(late)
      reject(new Error(`${args.join(' ')} ended with ${code}`))
    })
  })
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** Flags of Node for one look closer, as BENCH_NODE="--cpu-prof --cpu-prof-dir=…". */
function nodeFlags(): string[] {
  return (process.env.BENCH_NODE ?? '').split(' ').filter(flag => flag !== '')
}

/** What tells a service of the stage's database. */
export function serviceEnvironment(stage: Stage): Record<string, string> {
  return {
    DATABASE_URL: stage.url,
    BELLWETHER_SECRET_KEY: SECRET_KEY,
    BELLWETHER_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLWETHER_LOG_LEVEL: 'error',
    PORT: '0',
  }
}

/** The service itself; `serve --no-worker` unless told: what it sends later is measured elsewhere. */
export function startService(stage: Stage, args: readonly string[] = ['serve', '--no-worker']) {
  const command = [...nodeFlags(), 'server/bellwether.js', ...args]
  return startProcess(process.execPath, command, serviceEnvironment(stage))
}

export function startUsual({ address }: Stage): Promise<Running> {
  const { host, port, user, password, database } = address
  const place = [host, String(port), user, password, database]
  return startProcess(process.execPath, ['bench/usual-server.ts', ...place])
}

/** The memory a process holds, in megabytes; 0 where the system does not tell. */
export function readMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
