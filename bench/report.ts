// Writes docs/performance.md and its charts from the results of the last runs: npm run bench:report.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { BENCHES } from './benches.ts'
import { barsOf, drawBars, drawCurve, type Line, showNumber } from './charts.ts'
import { type Result, WAYS } from './rounds.ts'

const RESULTS = new URL('./results/', import.meta.url)
const DOCS = new URL('../docs/', import.meta.url)
const ORDER = Object.keys(BENCHES)

function readResults(): Result[] {
  const found = readdirSync(RESULTS).filter(file => file.endsWith('.json'))
  const read = found.map(file => JSON.parse(readFileSync(new URL(file, RESULTS), 'utf8')) as Result)
  return read.sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name))
}

async function writeReport(all: readonly Result[]): Promise<string> {
  const missing = ORDER.filter(name => !all.some(result => result.name === name))
  const parts = [
    '# Performance',
    'Every figure here was measured by `npm run bench`, which runs Bellwether, the usual way of doing the same ' +
      'and what the machine allows at most in one run, in turns. A figure counts only if the rows are right ' +
      'afterwards. This page is written by `npm run bench:report`; nothing in it is edited by hand. Figures under "also" are measured once unless they carry a goal of ingest.',
    describeMachine(all),
    overview(all),
    missing.length === 0 ? '' : `Not measured yet: ${missing.join(', ')}.`,
    HOW,
    ...(await Promise.all(all.map(describe))),
  ]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

const HOW = `## How to repeat it

\`\`\`sh
npm ci
npm run bench                   # all of it, in under 25 minutes after the first loading
npm run bench -- ingest         # one of them
npm run bench -- views --full   # ten million events
npm run bench -- --curve        # also at a tenth and a third of the size
npm run bench:report            # this page
\`\`\`

Loading is done once and kept in the temp folder (\`--fresh\` throws it away); every run works on a copy of it, so
each begins alike. \`--set key=value\` changes a size. A goal counts as reached only at the full size, with five rounds
or more, and when every check passed. A machine that does something else meanwhile gives smaller numbers; the ratios
move less, because the ways are measured in turns.`

function describeMachine(all: readonly Result[]): string {
  const { machine } = all[0]!
  const days = all.map(result => result.at.slice(0, 10)).sort()
  const when = days[0] === days.at(-1) ? days[0]! : `${days[0]} to ${days.at(-1)}`
  return table(
    ['machine', ''],
    [
      ['processor', `${machine.cores} cores, ${machine.processor}`],
      ['memory', `${machine.memory_gib} GiB`],
      ['system', machine.system],
      ['Node', machine.node],
      ['database', 'the embedded PostgreSQL, durable: every commit is flushed'],
      ['measured', when],
    ],
  )
}

function overview(all: readonly Result[]): string {
  const rows = all.map(result => [
    `[${result.name}](#${result.name})`,
    ...WAYS.map(way => show(result.median[way], way === 'ours' ? result.unit : '')),
    result.ratio.usual === undefined ? '' : `${showNumber(result.ratio.usual)} ×`,
    result.ratio.limit === undefined ? '' : showNumber(result.ratio.limit),
    result.reached ? 'yes' : 'no',
  ])
  const head = [
    '',
    'Bellwether',
    'usual way',
    'limit',
    'better than usual',
    'of the limit',
    'reached',
  ]
  return `## Overview\n\n${table(head, rows)}`
}

function show(value: number | undefined, unit: string): string {
  return value === undefined ? '' : `${showNumber(value)} ${unit}`.trim()
}

async function describe(result: Result): Promise<string> {
  const { name, about, rounds, seconds } = result
  const size = Object.entries(result.size).map(([key, value]) => `${key} ${showNumber(value)}`)
  const spread = Math.round((result.spread.ours ?? 0) * 100)
  const wrong = result.checks.filter(check => !check.ok)
  const checks = wrong.length === 0 ? 'all passed' : wrong.map(check => check.name).join('; ')
  return [
    `## ${name}`,
    `${about[0]!.toUpperCase()}${about.slice(1)}. Size: ${size.join(', ')}. Medians of ${rounds} rounds in ` +
      `${seconds} s, spread ± ${spread} %. ${result.checks.length} checks: ${checks}.`,
    drawMedians(result),
    table(
      ['goal', 'measured', 'reached'],
      result.goals.map(goal => [goal.name, goal.measured, goal.ok ? 'yes' : 'no']),
    ),
    name === 'views' ? viewTable(result) : alsoTable(result),
    drawGrowth(result),
    await boundOf(result),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function alsoTable({ also }: Result): string {
  const rows = Object.entries(also).map(([key, value]) => [key, showNumber(value)])
  return rows.length === 0 ? '' : table(['also', ''], rows)
}

/** The views come as three figures each. */
function viewTable({ also }: Result): string {
  const names = Object.keys(also).flatMap(key => /^(.*) by plain SQL, ms$/.exec(key)?.[1] ?? [])
  const cell = (key: string) => showNumber(also[key] ?? 0)
  const rows = names.map(name => [
    name,
    ...[cell(`${name}, ms`), cell(`${name} by plain SQL, ms`), cell(`${name} at a tenth, ms`)],
  ])
  const head = ['view, ms', 'Bellwether', 'plain SQL', 'at a tenth of the size']
  const note =
    'Plain SQL that takes over 3 s is measured once, the summary aside; trends by plain SQL are one day, counted 30 times.'
  return `${table(head, rows)}\n\n${note}`
}

function drawMedians({ name, about, median, unit }: Result): string {
  const bars = barsOf(median)
  if (bars.length < 2) return ''
  return writeChart(`performance-${name}.svg`, drawBars(about, bars, unit))
}

/** Known of the code of today, whenever it was measured. */
async function boundOf({ name, reached }: Result): Promise<string> {
  const { bound } = (await BENCHES[name]!()).bench
  if (bound !== null) return `What bounds it: ${bound}.`
  return reached ? '' : 'What bounds it: not profiled yet.'
}

function drawGrowth({ name, curve, unit }: Result): string {
  if (curve.length < 2) return ''
  const along = Object.keys(curve[0]!.size).find(
    key => curve[0]!.size[key] !== curve.at(-1)!.size[key],
  )!
  const lines = WAYS.flatMap((way): Line[] => {
    const points = curve.flatMap(({ size, median }): [number, number][] =>
      median[way] === undefined ? [] : [[size[along]!, median[way]]],
    )
    return points.length < 2 ? [] : [{ way, points }]
  })
  const title = `${name} over a decade of sizes`
  return writeChart(`performance-${name}-curve.svg`, drawCurve(title, lines, along, unit))
}

function writeChart(file: string, svg: string): string {
  writeFileSync(new URL(file, DOCS), svg)
  return `![${file.replace(/^performance-|\.svg$/g, '')}](${file})`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const results = readResults()
if (results.length === 0) throw new Error('there are no results yet: npm run bench')
for (const file of readdirSync(DOCS)) {
  if (/^performance-.*\.svg$/.test(file)) rmSync(new URL(file, DOCS))
}
writeFileSync(new URL('performance.md', DOCS), await writeReport(results))
console.log(`docs/performance.md is written from ${results.length} results`)
