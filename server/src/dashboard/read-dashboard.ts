// The built dashboard, held in memory: what is not in this table cannot be asked for, whatever the path says.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export type DashboardFile = {
  readonly body: Buffer
  /** Made by the build; null where packing gains nothing. */
  readonly packed: Buffer | null
  readonly type: string
}

export type Dashboard = {
  /** The page of every address of the app; `NONCE` stands for the one of the answer. */
  readonly shell: string
  /** By path, as `/assets/index-1a2b3c4d.js`. */
  readonly files: ReadonlyMap<string, DashboardFile>
}

export const NONCE = '%STYLE_NONCE%'

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  png: 'image/png',
  txt: 'text/plain; charset=utf-8',
}

/** Null where there is no build. */
export function readDashboard(folder: URL): Dashboard | null {
  const page = new URL('index.html', folder)
  if (!existsSync(page)) return null
  const files = new Map<string, DashboardFile>()
  for (const name of listFiles(folder)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
    if (type === undefined) continue
    const packed = new URL(`${name}.gz`, folder)
    files.set(`/${name}`, {
      body: readFileSync(new URL(name, folder)),
      packed: existsSync(packed) ? readFileSync(packed) : null,
      type,
    })
  }
  return { shell: readFileSync(page, 'utf8'), files }
}

/** Paths below the folder, with slashes on every system. */
function listFiles(folder: URL): string[] {
  const top = fileURLToPath(folder)
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(top, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
}
