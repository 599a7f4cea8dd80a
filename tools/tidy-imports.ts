// The import line of the house: which room may know which, and what a file's role lets it import. Pure.
import { posix } from 'node:path'
import { lineOf, readSource } from './source-text.ts'
import type { Violation } from './tidy.ts'

/** A slice imports only those to its left; what stands beside app.ts may import them all. */
const LINE = [
  'platform',
  'tenants',
  'audit',
  'notifications',
  'endings',
  'accounts',
  'idempotency',
  'keys',
  'oauth',
  'access',
  'webhooks',
  'employees',
  'rules',
  'actions',
  'events',
  'scores',
  'replays',
  'verify',
  'privacy',
  'docs',
  'dashboard',
  'app',
] as const

/** Rooms on top of the app, which nothing of it imports. */
const ABOVE = ['demo', 'backup', 'commands']

export type Import = { from: string; at: number; typeOnly: boolean }

const STATEMENT = /^[ \t]*(?:import|export)\s+(type\s+)?(?:([\w*\s{},$]*?)\s*from\s+)?'([^']+)'/gm
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g

export function listImports(text: string): Import[] {
  const { uncommented } = readSource(text)
  const fixed = [...uncommented.matchAll(STATEMENT)].map(match => ({
    from: match[3]!,
    at: match.index,
    typeOnly: match[1] !== undefined || allTypes(match[2] ?? ''),
  }))
  const dynamic = [...uncommented.matchAll(DYNAMIC)].map(match => ({
    from: match[1]!,
    at: match.index,
    typeOnly: isTypeQuery(uncommented, match.index),
  }))
  return [...fixed, ...dynamic]
}

/** `{ type A, type B }` brings in nothing at run time. */
function allTypes(clause: string): boolean {
  const names = /^\{([\s\S]*)\}$/.exec(clause.trim())?.[1]
  const list = names?.split(',').filter(name => name.trim() !== '')
  return list !== undefined && list.length > 0 && list.every(name => /^\s*type\s/.test(name))
}

/** `type X = import('…').Y` and `: import('…').Y` name a type. */
function isTypeQuery(text: string, at: number): boolean {
  return /(?:\btype\s+\w+\s*=|typeof|:)\s*$/.test(text.slice(Math.max(0, at - 60), at))
}

type Role = 'schema' | 'routes' | 'queries' | 'job' | 'test' | 'plain'

function roleOf(file: string): Role {
  if (/\.(?:test|fixture|bench)\.tsx?$|^server\/test\//.test(file)) return 'test'
  const named = /(?:^|\.|\/)(schema|routes|admin|queries|job)\.ts$/.exec(file)?.[1]
  if (named === undefined) return 'plain'
  return named === 'admin' ? 'routes' : (named as Role)
}

function sliceOf(file: string): string | null {
  const [, folder] = /^server\/src\/(?:([\w-]+)\/)?[\w.-]+$/.exec(file) ?? []
  if (!file.startsWith('server/src/')) return null
  return folder ?? (file === 'server/src/config.ts' ? 'config' : 'app')
}

function resolve(file: string, from: string): string {
  return from.startsWith('.') ? posix.join(posix.dirname(file), from) : from
}

const OUTWARD =
  /^(?:pg|pg-protocol|fastify|undici|node:(?:fs|net|http|https|child_process|dns|tls|worker_threads)(?:\/.*)?)$/

/** Files through which a program reaches outside: the database, the network, the disk. */
function findEffects(files: ReadonlyMap<string, readonly Import[]>): Set<string> {
  const effects = new Set<string>()
  for (const file of files.keys())
    if (['routes', 'queries', 'job'].includes(roleOf(file))) effects.add(file)
  for (let grew = true; grew; ) {
    grew = false
    for (const [file, imports] of files) {
      if (effects.has(file) || file.startsWith('server/src/platform/')) continue
      const values = imports.filter(one => !one.typeOnly).map(one => resolve(file, one.from))
      if (values.some(from => OUTWARD.test(from) || effects.has(from))) {
        effects.add(file)
        grew = true
      }
    }
  }
  return effects
}

export function checkImports(texts: ReadonlyMap<string, string>): Violation[] {
  const files = new Map([...texts].map(([file, text]) => [file, listImports(text)]))
  const effects = findEffects(files)
  const wrong = [...files].flatMap(([file, imports]) =>
    imports.flatMap(one => {
      const found = judge(file, resolve(file, one.from), one, effects)
      const line = lineOf(texts.get(file)!, one.at)
      return found === null ? [] : [{ file, line, ...found }]
    }),
  )
  const message = 'its imports lead back to itself'
  const circles = findCircles(files).map(file => ({ file, line: 1, rule: 'circle', message }))
  return [...wrong, ...circles]
}

/** Files from which imports, be they of types alone, lead back to where they began. */
function findCircles(files: ReadonlyMap<string, readonly Import[]>): string[] {
  const targets = new Map(
    [...files].map(([file, imports]) => [file, imports.map(one => resolve(file, one.from))]),
  )
  const isInCircle = (file: string) => {
    const seen = new Set<string>()
    const next = [...targets.get(file)!]
    for (let one = next.pop(); one !== undefined; one = next.pop()) {
      if (one === file) return true
      if (seen.has(one)) continue
      seen.add(one)
      next.push(...(targets.get(one) ?? []))
    }
    return false
  }
  return [...files.keys()].filter(isInCircle)
}

type Verdict = { rule: string; message: string } | null

function judge(file: string, target: string, one: Import, effects: ReadonlySet<string>): Verdict {
  return (
    judgeScoring(file, target) ??
    judgeLine(file, target, one) ??
    judgeRole(file, target, one, effects)
  )
}

function judgeScoring(file: string, target: string): Verdict {
  if (!file.startsWith('scoring/') || roleOf(file) === 'test') return null
  if (target.startsWith('scoring/')) return null
  return { rule: 'pure-scoring', message: `scoring is pure and knows nothing of ${target}` }
}

function judgeLine(file: string, target: string, one: Import): Verdict {
  const [own, other] = [sliceOf(file), sliceOf(target)]
  if (own === null || other === null || own === other || roleOf(file) === 'test') return null
  if (other === 'config') {
    const fits = one.typeOnly || own === 'app' || ABOVE.includes(own)
    return fits ? null : { rule: 'import-line', message: 'settings come with the context' }
  }
  const place = (slice: string) => [...LINE, ...ABOVE].indexOf(slice)
  if (place(own) < 0)
    return { rule: 'import-line', message: `the room ${own} has no place in the line` }
  if (place(other) < place(own) && place(other) >= 0) return null
  if (own === 'app' && ABOVE.includes(other)) return null
  return { rule: 'import-line', message: `${own} may not import ${other}` }
}

/** What speaks to the driver. */
const DRIVER = new Set(['wire', 'copy', 'pool'].map(name => `server/src/platform/${name}.ts`))

function judgeRole(
  file: string,
  target: string,
  one: Import,
  effects: ReadonlySet<string>,
): Verdict {
  if (one.typeOnly || !file.startsWith('server/src/')) return null
  const role = roleOf(file)
  if (/^pg(?:-|$)/.test(target) && !DRIVER.has(file)) {
    return { rule: 'role', message: 'the database is spoken to through platform/database alone' }
  }
  if (
    role === 'schema' &&
    (effects.has(target) || (!/^[.s]/.test(target) && target !== 'typebox'))
  ) {
    return { rule: 'role', message: `a schema holds shapes only and may not import ${target}` }
  }
  if (role === 'queries' && effects.has(target) && roleOf(target) !== 'queries') {
    return { rule: 'role', message: `queries hold SQL only and may not import ${target}` }
  }
  if (roleOf(target) === 'routes' && sliceOf(file) !== 'app' && role !== 'test') {
    return { rule: 'role', message: `only the app lists routes; ${target} is not to be imported` }
  }
  return null
}
