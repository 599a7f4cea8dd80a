// Which tests a change asks for: pure ones by the import graph, those on a database by the slice they stand in. Pure.
import { posix } from 'node:path'
import { listImports } from './tidy-imports.ts'

export type Chosen = {
  tests: string[]
  /** Tests that the change may reach, but which are left to the whole run. */
  left: number
}

/** Everything stands on the app, and every test of a service on it: a walk that went on would choose all of them. */
const HUBS = new Set(['server/src/app.ts', 'server/test/service.ts', 'server/src/main.ts'])
const DATABASE = new Set(['server/test/service.ts', 'server/test/bare-database.ts'])

const isTest = (file: string) => /\.test\.tsx?$/.test(file)
const isDeep = (file: string) => file.includes('.deep.test.') || /^(?:e2e|faults)\//.test(file)

export function chooseTests(
  files: ReadonlyMap<string, string>,
  changed: readonly string[],
): Chosen {
  const importers = listImporters(files)
  const reach = (from: Iterable<string>, stop: ReadonlySet<string>) => {
    const seen = new Set<string>(from)
    for (const file of seen) {
      if (stop.has(file)) continue
      for (const importer of importers.get(file) ?? []) seen.add(importer)
    }
    return seen
  }
  const onDatabase = reach(DATABASE, new Set())
  const slices = new Set(changed.map(sliceOf).filter(slice => slice !== null))
  const direct = new Set(changed.flatMap(file => importers.get(file) ?? []))
  const near = reach(changed, HUBS)
  const all = [...reach(changed, new Set())].filter(isTest)
  const tests = [...files.keys()].filter(file => {
    if (!isTest(file)) return false
    if (changed.includes(file)) return true
    if (isDeep(file)) return false
    if (!onDatabase.has(file)) return near.has(file)
    return direct.has(file) || slices.has(sliceOf(file) ?? '')
  })
  return { tests, left: all.filter(file => !tests.includes(file)).length }
}

function sliceOf(file: string): string | null {
  const slice = /^server\/src\/([\w-]+)\//.exec(file)?.[1] ?? null
  // Each test stands on the platform: those beside it are many, and those that import the changed file are chosen.
  return slice === 'platform' ? null : slice
}

function listImporters(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const [file, text] of files) {
    if (!/\.tsx?$/.test(file)) continue
    for (const { from } of listImports(text)) {
      if (!from.startsWith('.')) continue
      const target = posix.join(posix.dirname(file), from)
      importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  return importers
}
