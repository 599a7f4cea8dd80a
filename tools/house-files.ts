// Finds the files the rules of the house hold for.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../', import.meta.url)
const LEFT_OUT = new Set(['node_modules', 'data', 'coverage', 'dist', 'generated', 'results'])
const KINDS = /\.(?:ts|tsx|js|mjs|css|sql|md|yaml|html)$/

/** Every source and text file of the repository by its path, dot folders left out. */
export function readHouse(): Map<string, string> {
  const files = new Map<string, string>()
  walk('', files)
  return files
}

function walk(folder: string, files: Map<string, string>): void {
  const entries = readdirSync(fileURLToPath(new URL(folder || '.', ROOT)), { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder + entry.name
    if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue
    if (entry.isDirectory()) walk(`${path}/`, files)
    else if (KINDS.test(entry.name)) files.set(path, readFileSync(new URL(path, ROOT), 'utf8'))
  }
}
