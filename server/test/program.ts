// The real program as a child process, for tests of starting, stopping and the operator's commands.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts'
import { afterFile } from './after-file.ts'
import { PATIENCE_MS } from './patience.ts'

const ENTRY = fileURLToPath(new URL('../bellwether.js', import.meta.url))
const silent = { info() {}, warn() {}, error() {} }

export type Finished = { code: number | null; stdout: string; stderr: string }

export type Program = {
  child: ChildProcess
  output(): { stdout: string; stderr: string }
  finished: Promise<Finished>
}

export function launch(
  args: string[],
  env: Record<string, string> = {},
  flags: string[] = [],
): Program {
  // Settings of the caller's shell stay out; a test names what it needs.
  const clean = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env }
  const child = spawn(process.execPath, [...flags, ENTRY, ...args], { env: clean })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const finished = new Promise<Finished>(resolve => {
    child.once('close', code => resolve({ code, stdout, stderr }))
  })
  return { child, output: () => ({ stdout, stderr }), finished }
}

/** Runs a command to its end. */
export function run(
  args: string[],
  env?: Record<string, string>,
  flags?: string[],
): Promise<Finished> {
  const program = launch(args, env, flags)
  const timer = setTimeout(() => program.child.kill('SIGKILL'), PATIENCE_MS)
  return program.finished.finally(() => clearTimeout(timer))
}

export type Running = Program & { url: string }

/** Starts `serve` on a free port and waits until it says where it is. */
export async function serve(
  env: Record<string, string>,
  args: string[] = [],
  flags: string[] = [],
): Promise<Running> {
  const program = launch(['serve', ...args], { PORT: '0', ...env }, flags)
  let over = false
  program.finished.then(() => {
    over = true
  })
  const url = await until(() => {
    if (over) throw new Error(`it ended: ${program.output().stderr}`)
    return /ready: (http\S+)/.exec(program.output().stdout)?.[1]
  })
  return { ...program, url }
}

/** Polls until there is an answer. */
export async function until<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await sleep(20)
  }
  throw new Error('it took too long')
}

/** A data folder of its own; after the file's tests whatever still runs on it is stopped and it is removed. */
export function dataFolder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-program-'))
  afterFile(async () => {
    // The launcher takes over the server of a killed process, so that it can be stopped.
    const left = await startEmbeddedPostgres({ dataDir, log: silent }).catch(() => null)
    await left?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return dataDir
}
