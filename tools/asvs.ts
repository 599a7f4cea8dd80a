// The list of security requirements: reads our copy of it, finds rows without proof, and prints the page.
import { readFileSync } from 'node:fs'

export type Requirement = {
  readonly id: string
  readonly level: string
  readonly requirement: string
  readonly idea: string
  readonly where: string
  /** `file › title` of a test, several with ` | ` between; empty for a gap. */
  readonly test: string
  /** `gap, because …`, or empty. */
  readonly gap: string
}

const COLUMNS = ['id', 'level', 'requirement', 'idea', 'where', 'test', 'gap'] as const
const LIST = new URL('../docs/security/asvs.csv', import.meta.url)

/** CSV as RFC 4180 has it: quotes may hold commas, line breaks and doubled quotes. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end = ''] of text.matchAll(CELLS)) {
    const row = rows.at(-1)!
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end.includes('\n')) rows.push([])
  }
  return rows.filter(row => row.some(cell => cell !== ''))
}

const CELLS = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g

export function readRequirements(): Requirement[] {
  const [head = [], ...rows] = parseCsv(readFileSync(LIST, 'utf8'))
  if (COLUMNS.some((name, i) => head[i] !== name)) throw new Error(`columns: ${COLUMNS.join(', ')}`)
  return rows.map(
    row => Object.fromEntries(COLUMNS.map((name, i) => [name, row[i] ?? ''])) as Requirement,
  )
}

export type NamedTest = { readonly file: string; readonly title: string }

function testsOf(cell: string): NamedTest[] {
  return cell
    .split(' | ')
    .filter(part => part !== '')
    .map(part => {
      const [file = '', ...title] = part.split(' › ')
      return { file: file.trim(), title: title.join(' › ').trim() }
    })
}

/** True when the source holds a test or a block with this very title. */
export function hasTest(source: string, title: string): boolean {
  const words = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/['"`]/g, '\\\\?$&')
  return new RegExp(`\\(\\s*(['"\`])${words}\\1`).test(source)
}

/** What is wrong with a row: no proof, a proof that is not there, or both proof and gap. */
export function judgeRequirement(row: Requirement, sources: ReadonlyMap<string, string>): string[] {
  const tests = testsOf(row.test)
  if (tests.length === 0 && row.gap === '') return [`${row.id} names neither a test nor a gap`]
  if (tests.length > 0 && row.gap !== '') return [`${row.id} names a test and a gap`]
  if (row.gap !== '' && !/^gap, because \S/.test(row.gap)) {
    return [`${row.id}: write "gap, because …"`]
  }
  return tests
    .filter(({ file, title }) => !hasTest(sources.get(file) ?? '', title))
    .map(({ file, title }) => `${row.id}: there is no test "${title}" in ${file}`)
}

const CHAPTERS: Record<string, string> = {
  V1: 'Encoding and injection',
  V2: 'Validation and business logic',
  V3: 'Web front end',
  V4: 'API and web service',
  V5: 'Files',
  V6: 'Authentication',
  V7: 'Sessions',
  V8: 'Authorization',
  V10: 'OAuth',
  V11: 'Cryptography',
  V12: 'Communication',
  V13: 'Configuration',
  V14: 'Data protection',
  V15: 'Coding and architecture',
  V16: 'Logging and errors',
  API: 'OWASP API Security Top 10 (2023)',
  RFC: 'RFC 9700, best current practice of OAuth',
}

const chapterOf = (id: string) => /^(?:V\d+|API|RFC)/.exec(id)?.[0] ?? id

export function printPage(rows: readonly Requirement[]): string {
  const chapters = [...new Set(rows.map(({ id }) => chapterOf(id)))]
  return `${[
    '# Security requirements and their proofs',
    '',
    'What applies to this service of the OWASP Application Security Verification Standard 5.0, of the API Security',
    'Top 10 and of RFC 9700, in our own words. Each line names the test that holds it, or says why there is none.',
    'Generated from [asvs.csv](asvs.csv) by `npm run generate`; a line without proof fails the tests.',
    '',
    ...printSums(rows),
    ...printGaps(rows),
    ...chapters.flatMap(chapter => [
      `## ${CHAPTERS[chapter] ?? chapter}`,
      '',
      '| Id | Level | Requirement | Held by |',
      '| -- | ----- | ----------- | ------- |',
      ...rows.filter(({ id }) => chapterOf(id) === chapter).map(printRow),
      '',
    ]),
  ].join('\n')}`
}

function printSums(rows: readonly Requirement[]): string[] {
  const groups = new Map([
    ['ASVS L1', rows.filter(({ level }) => level === 'L1')],
    ['ASVS L2', rows.filter(({ level }) => level === 'L2')],
    ['ASVS L3', rows.filter(({ level }) => level === 'L3')],
    ['API Top 10', rows.filter(({ id }) => id.startsWith('API'))],
    ['RFC 9700', rows.filter(({ id }) => id.startsWith('RFC'))],
  ])
  return [
    '| List | Requirements | Held by a test | Gaps |',
    '| ---- | -----------: | -------------: | ---: |',
    ...[...groups].map(([name, own]) => {
      const gaps = own.filter(({ gap }) => gap !== '').length
      return `| ${name} | ${own.length} | ${own.length - gaps} | ${gaps} |`
    }),
    '',
  ]
}

function printGaps(rows: readonly Requirement[]): string[] {
  const gaps = rows.filter(({ gap }) => gap !== '')
  const lines = gaps.map(({ id, level, requirement, gap }) => {
    return `- **${id}** (${level}) ${requirement}: ${gap}`
  })
  return ['## Gaps', '', ...(lines.length > 0 ? lines : ['None.']), '']
}

function printRow({ id, level, requirement, test, gap }: Requirement): string {
  const proof = testsOf(test).map(({ file, title }) => `\`${file}\` ${title}`)
  const cells = [id, level, requirement, gap || proof.join('<br>')]
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
