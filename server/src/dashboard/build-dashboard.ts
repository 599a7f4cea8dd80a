// Builds the dashboard when it is missing or older than its sources, in a process of its own.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SOURCES } from './dashboard-folder.ts'

/** Written by the build beside what it made: the fingerprint of what it was made from. */
const STAMP = 'sources.sha256'
const ROOT = new URL('../', SOURCES)
const run = promisify(execFile)

/** What the build is made from: the app, the scoring it shares with the server, and the libraries' versions. */
export function fingerprint(root: URL = ROOT): string {
  const hash = createHash('sha256')
  for (const path of ['dashboard/', 'scoring/'].flatMap(folder => listSources(root, folder))) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(new URL(path, root)))
      .update('\0')
  }
  return hash.update(readFileSync(new URL('package-lock.json', root))).digest('hex')
}

function listSources(root: URL, folder: string): string[] {
  const top = fileURLToPath(new URL(folder, root))
  return readdirSync(top, { withFileTypes: true })
    .flatMap(entry => {
      if (/^(?:dist(?:\.|$)|node_modules$|\.)/.test(entry.name)) return []
      if (entry.isDirectory()) return listSources(root, `${folder}${entry.name}/`)
      return /\.test\.tsx?$/.test(entry.name) ? [] : [`${folder}${entry.name}`]
    })
    .sort()
}

function isBuilt(): boolean {
  try {
    const stamp = readFileSync(new URL(`dist/${STAMP}`, SOURCES), 'utf8')
    return stamp === fingerprint()
  } catch {
    return false
  }
}

/** Returns what went wrong, or null: the API is served whether or not the dashboard could be built. */
export async function buildDashboard(say: (text: string) => void): Promise<string | null> {
  if (isBuilt()) return null
  say('Building the dashboard, once, in a few seconds ...')
  try {
    const script = join(fileURLToPath(SOURCES), 'build.ts')
    await run(process.execPath, [script, fingerprint()], { maxBuffer: 16 * 1024 * 1024 })
    return null
  } catch (error) {
    // Another process that started at the same time may have been first.
    if (isBuilt()) return null
    return describeFault(error as { stderr?: string; message: string })
  }
}

export function describeFault({ stderr, message }: { stderr?: string; message: string }): string {
  const said = (stderr || message).trim()
  // On a disk mounted to be read only, Node says ENOENT of a folder it shall make.
  const unwritable = /\b(?:EACCES|EROFS|ENOENT: no such file or directory, mkdir)\b[^\n]*/.exec(
    said,
  )
  return unwritable
    ? `its folder cannot be written; run \`npm run build\` once as its owner (${unwritable[0]})`
    : said
}
