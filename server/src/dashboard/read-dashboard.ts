// The built dashboard, held in memory: what is not in this table cannot be asked for, whatever the path says.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AN_HOUR, describeAsset, type StaticAsset } from '../platform/static-asset.ts'

export type Dashboard = {
  /** The page of every address of the app; `NONCE` stands for the one of the answer. */
  readonly shell: string
  /** By path, as `/assets/index-1a2b3c4d.js`. */
  readonly files: ReadonlyMap<string, StaticAsset>
}

export const NONCE = '%STYLE_NONCE%'

/** Names under assets/ carry a hash of what they hold. */
const FOR_EVER = 'public, max-age=31536000, immutable'

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
  const files = new Map<string, StaticAsset>()
  for (const name of listFiles(folder)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
    if (type === undefined) continue
    const packed = new URL(`${name}.gz`, folder)
    const asset = describeAsset({
      body: readFileSync(new URL(name, folder)),
      // Made by the build.
      packed: existsSync(packed) ? readFileSync(packed) : null,
      type,
      keep: name.startsWith('assets/') ? FOR_EVER : AN_HOUR,
    })
    files.set(`/${name}`, asset)
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
