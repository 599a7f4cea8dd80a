// Holds the house to its rules, and shows that each of them would notice.
import { describe, expect, test } from 'vitest'
import { readHouse } from './house-files.ts'
import { readSource } from './source-text.ts'
import { checkFile, RULE_NAMES, type Violation } from './tidy.ts'
import { checkImports, listImports } from './tidy-imports.ts'

const files = readHouse()
const scripts = new Map([...files].filter(([file]) => /\.tsx?$/.test(file)))

const print = ({ file, line, rule, message }: Violation) => `${file}:${line} ${rule}: ${message}`

describe('the house', () => {
  test('has rooms to look at', () => {
    expect(scripts.size).toBeGreaterThan(50)
    expect([...files.keys()]).toContain('server/src/app.ts')
    expect([...files.keys()]).toContain('server/migrations/0001_ground_floor.sql')
  })

  test('keeps its rules in every file', () => {
    expect([...files].flatMap(([file, text]) => checkFile(file, text)).map(print)).toEqual([])
  })

  test('keeps its import line, and has no circles of imports', () => {
    expect(checkImports(scripts).map(print)).toEqual([])
  })
})

const OPENING = '// Why it is here.\n'
const lines = (count: number) => 'const a = 1\n'.repeat(count)
const handler = (count: number) =>
  `${OPENING}export function xRoutes(server) {\n  server.get(\n    '/v1/x',\n    { config: {} },\n` +
  `    async request => {\n${'      await one(request)\n'.repeat(count)}    },\n  )\n}\n`
const body = (count: number) =>
  `${OPENING}function big(a: { b: number }): { c: string } {\n${lines(count)}}\n`

/** For each rule a file that breaks it and one that just does not. */
const PLANTED: Record<string, { file?: string; bad: string; good: string }> = {
  'opens-with-its-reason': { bad: 'const a = 1\n', good: OPENING },
  'file-length': { bad: OPENING + lines(600), good: OPENING + lines(599) },
  'file-name': { file: 'server/src/rules/utils.ts', bad: OPENING, good: '' },
  'function-length': { bad: body(80), good: body(78) },
  'handler-length': { file: 'server/src/rules/x.routes.ts', bad: handler(16), good: handler(15) },
  environment: {
    bad: `${OPENING}const home = \`\${process.env.HOME}\`\n`,
    good: `${OPENING}const words = 'process.env'\n`,
  },
  'wall-clock': {
    bad: `${OPENING}const began = Date.now()\n`,
    good: `${OPENING}const began = performance.now()\n`,
  },
  'raw-sql': { bad: `${OPENING}await sql.unsafe(text)\n`, good: `${OPENING}Type.Unsafe({})\n` },
  'sql-home': {
    bad: `${OPENING}await tx<Row[]>\`SELECT 1\`\n`,
    good: `${OPENING}const words = \`SELECT a plan\`\n`,
  },
  shell: {
    bad: `${OPENING}import { exec } from 'node:child_process'\n`,
    good: `${OPENING}import { execFile } from 'node:child_process'\n`,
  },
  'raw-html': {
    bad: `${OPENING}const a = <p dangerouslySetInnerHTML={b} />\n`,
    good: `${OPENING}// dangerouslySetInnerHTML is not used.\n`,
  },
  unfinished: { bad: `${OPENING}// ${'TO'}DO later\n`, good: `${OPENING}// To do it later.\n` },
  'left-out-test': {
    file: 'server/src/rules/x.test.ts',
    bad: `${OPENING}test.only('a', () => {})\n`,
    good: `${OPENING}test.skipIf(isRoot)('a', () => {})\n`,
  },
  'machine-path': {
    bad: `${OPENING}const folder = '/${'tmp'}/x'\n`,
    good: `${OPENING}const path = 'a/tmp/x'\n`,
  },
}

describe('a planted violation is noticed', () => {
  const rulesOf = (file: string, text: string) => checkFile(file, text).map(one => one.rule)

  test.each(RULE_NAMES)('%s', name => {
    const planted = PLANTED[name]
    if (!planted) throw new Error(`plant a violation of ${name}`)
    const file = planted.file ?? 'server/src/rules/x.ts'
    expect(rulesOf(file, planted.bad)).toEqual([name])
    const other = name === 'file-name' ? 'server/src/rules/common-words.ts' : file
    expect(rulesOf(other, planted.good || OPENING)).toEqual([])
  })

  test('a shell by option, a test in 801 lines, a migration without words', () => {
    expect(rulesOf('tools/x.ts', `${OPENING}spawn('ls', { shell: true })\n`)).toEqual(['shell'])
    expect(rulesOf('tools/x.test.ts', OPENING + lines(799))).toEqual([])
    expect(rulesOf('tools/x.test.ts', OPENING + lines(800))).toEqual(['file-length'])
    expect(rulesOf('server/migrations/9_x.sql', 'CREATE')).toEqual(['opens-with-its-reason'])
  })
})

describe('the import line', () => {
  const check = (more: Record<string, string>) =>
    checkImports(new Map(Object.entries(more))).map(({ file, rule }) => `${file} ${rule}`)

  test('a slice to the right', () => {
    const file = 'server/src/rules/x.ts'
    expect(check({ [file]: "import { a } from '../events/a.ts'" })).toEqual([`${file} import-line`])
    expect(check({ [file]: "import type { a } from '../events/a.ts'" })).toHaveLength(1)
    expect(check({ [file]: "const a = await import('../events/a.ts')" })).toHaveLength(1)
    expect(check({ [file]: "import { a } from '../employees/a.ts'" })).toEqual([])
  })

  test('platform knows no slice, and no room stands outside the line', () => {
    const platform = 'server/src/platform/x.ts'
    expect(check({ [platform]: "import { a } from '../tenants/a.ts'" })).toHaveLength(1)
    expect(check({ 'server/src/new/x.ts': "import { a } from '../platform/a.ts'" })).toHaveLength(1)
    expect(check({ [platform]: "import { a } from '../config.ts'" })).toHaveLength(1)
    expect(check({ [platform]: "import type { a } from '../config.ts'" })).toEqual([])
  })

  test('a circle of imports, of types too; not who leads into it or is led to', () => {
    const found = check({
      'server/src/rules/a.ts': "import { b } from './b.ts'",
      'server/src/rules/b.ts': "import type { c } from './c.ts'\nimport { e } from './e.ts'",
      'server/src/rules/c.ts': "const a = await import('./a.ts')",
      'server/src/rules/d.ts': "import { a } from './a.ts'",
      'server/src/rules/e.ts': "import { get } from 'node:https'",
    })
    expect(found).toEqual(['a', 'b', 'c'].map(name => `server/src/rules/${name}.ts circle`))
  })

  test('scoring knows nothing but itself', () => {
    expect(check({ 'scoring/x.ts': "import { a } from 'node:fs'" })).toEqual([
      'scoring/x.ts pure-scoring',
    ])
    expect(check({ 'scoring/x.ts': "import { a } from '../server/src/a.ts'" })).toHaveLength(1)
    expect(check({ 'scoring/x.ts': "import { a } from './a.ts'" })).toEqual([])
  })

  test('a schema holds shapes only, also when the reach is indirect', () => {
    const schema = 'server/src/rules/x.schema.ts'
    const found = { 'server/src/rules/do-x.ts': "import { q } from './x.queries.ts'" }
    const queries = { 'server/src/rules/x.queries.ts': '' }
    expect(check({ [schema]: "import Type from 'typebox'" })).toEqual([])
    expect(check({ [schema]: "import x from 'fastify'" })).toEqual([`${schema} role`])
    expect(check({ [schema]: "import { x } from './do-x.ts'", ...found, ...queries })).toHaveLength(
      1,
    )
    expect(
      check({ [schema]: "import { x } from './names.ts'", 'server/src/rules/names.ts': '' }),
    ).toEqual([])
  })

  test('queries import no operation, and only the app imports routes', () => {
    const queries = 'server/src/rules/x.queries.ts'
    const operation = { 'server/src/rules/do-x.ts': "import { get } from 'node:https'" }
    expect(check({ [queries]: "import { x } from './do-x.ts'", ...operation })).toEqual([
      `${queries} role`,
    ])
    const routes = { 'server/src/rules/x.routes.ts': '' }
    const line = "import { xRoutes } from './rules/x.routes.ts'"
    expect(check({ 'server/src/app.ts': line, ...routes })).toEqual([])
    const other = "import { xRoutes } from './x.routes.ts'"
    expect(check({ 'server/src/rules/x.ts': other, ...routes })).toEqual([
      'server/src/rules/x.ts role',
    ])
    for (const file of ['rules/x.ts', 'rules/x.test.ts', 'platform/x.ts'])
      expect(check({ [`server/src/${file}`]: "import pg from 'pg'" })).toHaveLength(1)
  })
})

describe('reading source as text', () => {
  test('tells code from strings, comments, regular expressions and templates', () => {
    const { code } = readSource(
      `a('b // c') // d\nconst e = /[/'\`]/.test(f) / g\n\`h \${i('j')} k\``,
    )
    expect(code).toBe(`a('      ')     \nconst e = /     /.test(f) / g\n\`  \${i(' ')}  \``)
  })

  test('finds templates with their tag, also inside one another', () => {
    const { templates } = readSource(
      'tx<{ a: number }[]>`x $' + '{b ? sql`y` : c} z`; x => `plain`',
    )
    expect(templates.map(one => one.tag)).toEqual(['tx', ''])
    expect(templates[0]?.strings).toEqual(['x ', ' z'])
    expect(templates[0]?.expressions[0]?.templates.map(one => one.tag)).toEqual(['sql'])
  })

  test('tells imports of types from imports of values', () => {
    const text =
      "import type { A } from 'a'\nimport { type B } from 'b'\nimport c, { type D } from 'c'\n// import 'd'"
    expect(listImports(text).map(({ from, typeOnly }) => [from, typeOnly])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
    ])
  })
})
