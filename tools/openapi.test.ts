// Holds the committed API document to the routes, to the linter and to what a reader needs of it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { sayScope } from '../dashboard/src/keys/scopes.ts'
import { newId } from '../server/src/platform/ids.ts'
import { printDocument } from '../server/src/platform/openapi.ts'
import { FILLER, type Schema } from '../server/src/platform/openapi-schemas.ts'
import { NO_WORDS, sayFault } from '../server/src/platform/say-fault.ts'
import { SCOPES, type Scope } from '../server/src/tenants/scopes.ts'
import { buildOfflineApp, buildOfflineDocument } from './offline-app.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const document = buildOfflineDocument()
const folder = mkdtempSync(join(tmpdir(), 'bellwether-lint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
)

test('the committed openapi.json is the one the routes give', () => {
  const committed = readFileSync(join(ROOT, 'openapi.json'), 'utf8')
  expect(committed === printDocument(document), 'openapi.json is stale: run npm run generate').toBe(
    true,
  )
})

test('the words of a scope tell of what is erased, redacted, retracted or deleted by it', () => {
  const verbs = operations.flatMap(({ operation }) => {
    const verb = /^(Erase|Redact|Retract|Delete) /
      .exec(String(operation.summary))?.[1]
      ?.toLowerCase()
    return verb ? [{ scope: String(operation['x-required-scope']), verb }] : []
  })
  expect(new Set(verbs.map(one => one.verb)).size).toBe(4)
  for (const { scope, verb } of verbs) {
    for (const words of [SCOPES[scope as Scope], sayScope(scope)]) {
      expect(words.toLowerCase(), scope).toContain(verb)
    }
  }
})

/** Runs the linter without any network: no telemetry, no look for a newer version. */
function lint(file: string): { errors: number; warnings: number; problems: unknown[] } {
  const program = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
  const config = join(ROOT, 'redocly.yaml')
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' }
  const args = [
    program,
    'lint',
    file,
    '--format',
    'json',
    '--config',
    config,
    '--max-problems',
    '1000',
  ]
  const out = runAnyway(args, { PATH: '', ...quiet })
  const { totals, problems } = JSON.parse(out)
  return { errors: totals.errors, warnings: totals.warnings, problems }
}

/** What it prints, also when it ends with a failure. */
function runAnyway(args: string[], env: Record<string, string>): string {
  try {
    const options = {
      cwd: ROOT,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    } as const
    return execFileSync(process.execPath, args, options)
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
  }
}

test('the linter finds nothing', () => {
  const file = join(ROOT, 'openapi.json')
  expect(lint(file)).toEqual({ errors: 0, warnings: 0, problems: [] })
})

test('the linter would notice a fault and a bad example', () => {
  const file = join(folder, 'openapi.json')
  const broken = JSON.parse(printDocument(document))
  delete broken.paths['/v1/me'].get.operationId
  broken.paths['/healthz'].get.responses['200'].content['application/json'].example = { status: 7 }
  writeFileSync(file, JSON.stringify(broken))
  const { problems } = lint(file)
  const rules = (problems as { ruleId: string }[]).map(problem => problem.ruleId)
  expect(rules).toContain('operation-operationId')
  expect(rules).toContain('no-invalid-media-type-examples')
})

test('every operation says what it does, for whom, and under one known tag', () => {
  const tags = document.tags.map(tag => tag.name)
  const silent = operations.filter(({ operation }) => {
    const { summary, description } = operation as { summary?: string; description?: string }
    return !summary || !description || !tags.includes(operation.tags[0] ?? '')
  })
  expect(silent.map(({ name }) => name)).toEqual([])
  const open = operations.filter(({ operation }) => (operation.security as unknown[]).length === 0)
  expect(open.map(({ name }) => name)).toEqual(['GET /healthz', 'GET /readyz'])
})

test('every parameter and every field of every schema is described', () => {
  const parameters = operations.flatMap(({ name, operation }) =>
    ((operation.parameters ?? []) as Schema[])
      .filter(one => !one.$ref && !one.description)
      .map(one => `${name} ${one.name}`),
  )
  const fields = Object.entries(document.components.schemas!).flatMap(([name, schema]) =>
    findSilent(schema, name),
  )
  const bodies = operations.flatMap(({ name, operation }) =>
    findSilent(operation.requestBody, name),
  )
  expect([...parameters, ...fields, ...bodies]).toEqual([])
})

/** Names that need no words: ids, addresses, the rows of a list, the bands. */
const SPEAKING = /^(?:(?:\w+_)?id|email|data|buckets|green|yellow|orange|red|critical)$/

/** Fields without a description; a reference has that of what it refers to. */
function findSilent(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const schema = value as Schema
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const silent = fields.filter(
    ([name, field]) => !field.$ref && !field.description && !SPEAKING.test(name),
  )
  const inner = Object.entries(schema).filter(
    ([key]) => !['example', 'examples', 'default'].includes(key),
  )
  return [
    ...silent.map(([field]) => `${path}.${field}`),
    ...inner.flatMap(([key, part]) =>
      findSilent(part, key === 'properties' ? path : `${path}.${key}`),
    ),
  ]
}

test('every object that is answered says which of its fields are always there', () => {
  const silent = Object.entries(document.components.schemas!).flatMap(([name, schema]) =>
    findUnrequired(schema, name),
  )
  expect(silent).toEqual(['RetractionJob.filter'])
})

/** Objects, the free-form ones aside, of which every field may be missing for all a generated client can tell. */
function findUnrequired(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties, required, additionalProperties, anyOf, items } = value as Schema
  const fields = Object.entries((properties ?? {}) as Schema)
  return [
    ...(properties && !required && !additionalProperties ? [path] : []),
    ...fields.flatMap(([name, field]) => findUnrequired(field, `${path}.${name}`)),
    ...((anyOf ?? []) as Schema[]).flatMap(one => findUnrequired(one, path)),
    ...findUnrequired(items, path),
  ]
}

test('every body and every answer with a body carries an example that is not made up', () => {
  const contents = operations.flatMap(({ name, operation }) => {
    const parts = [
      operation.requestBody,
      ...Object.values(operation.responses as object),
    ] as Schema[]
    return parts
      .filter(part => part && !part.$ref && part.content)
      .map(part => ({ name, media: (part.content as Record<string, Schema>)['application/json']! }))
  })
  expect(contents.length).toBeGreaterThan(operations.length)
  const bare = contents.filter(({ media }) => {
    const example = JSON.stringify(media.example)
    return example === undefined || example.includes(JSON.stringify(FILLER))
  })
  expect(bare.map(({ name, media }) => `${name} ${JSON.stringify(media.example)}`)).toEqual([])
})

test('routes are described without a database, and HEAD twins and hidden routes are left out', () => {
  const { routes } = buildOfflineApp()
  expect(routes.map(route => route.url)).toContain('/docs')
  expect(Object.keys(document.paths)).not.toContain('/docs')
  expect(operations.filter(({ name }) => name.startsWith('HEAD'))).toEqual([])
})

test('no fixed part of a path can be taken for an id: ids contain an underscore', () => {
  const parts = Object.keys(document.paths).flatMap(path => path.split('/'))
  const fixed = parts.filter(part => part !== '' && !part.startsWith('{'))
  expect(fixed.length).toBeGreaterThan(10)
  expect(fixed.filter(part => part.includes('_'))).toEqual([])
  expect(newId('emp', 0)).toContain('_')
})

test('a default that is said in words is also declared', () => {
  const said = operations.flatMap(({ name, operation }) =>
    ((operation.parameters ?? []) as Schema[])
      .filter(one => /\bdefault\b/i.test(String(one.description)))
      .filter(one => !('default' in (one.schema as Schema)))
      .map(one => `${name} ${one.name}`),
  )
  expect(said).toEqual([])
})

test('what does not fit a pattern is told in words', () => {
  const shown = buildOfflineApp().routes.filter(({ schema }) => !schema.hidden)
  const patterns: string[] = []
  JSON.stringify(shown, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.push(value)
    // Told in the document alone; the operation has its own words for it.
    return key === 'x-form' ? undefined : value
  })
  expect(patterns.length).toBeGreaterThan(3)
  const silent = patterns.filter(
    pattern => sayFault({ keyword: 'pattern', params: { pattern } } as never) === NO_WORDS,
  )
  expect(silent).toEqual([])
})
