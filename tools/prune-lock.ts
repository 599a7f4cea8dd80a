// Removes optional edges without an entry from the lock file: npm writes them where a registry lacks a
// platform's binary, and npm ci then calls the lock out of sync. Run after every npm install.
import { readFileSync, writeFileSync } from 'node:fs'

type Entry = { optionalDependencies?: Record<string, string> }

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Entry> }

let removed = 0
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    if (hasEntry(place, name)) continue
    delete entry.optionalDependencies![name]
    removed++
  }
}
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${removed} optional edges without an entry removed`)

/** npm looks in the package's own node_modules first, then outwards. */
function hasEntry(place: string, name: string): boolean {
  for (let folder = place; ; folder = folder.slice(0, folder.lastIndexOf('node_modules/'))) {
    const base = folder === '' || folder.endsWith('/') ? folder : `${folder}/`
    if (`${base}node_modules/${name}` in lock.packages) return true
    if (!folder.includes('node_modules/')) return false
  }
}
