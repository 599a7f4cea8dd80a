// The summary of the fault tests: kept as JSON, shown on the console, and written into docs/reliability.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readMachine } from '../bench/machine.ts'
import type { Caught } from './run-plants.ts'
import type { Outcome, Row } from './run-seeded.ts'
import type { StepOutcome } from './run-steps.ts'
import { KINDS } from './schedule.ts'

type Kept<T> = { at: string; machine: string; seconds: number; result: T }
export type Results = {
  seeded: Kept<Outcome>
  steps: Kept<StepOutcome[]>
  plants: Kept<Caught[]>
}

const FOLDER = new URL('results/', import.meta.url)
const PAGE = new URL('../docs/reliability.md', import.meta.url)
const BEGIN = '<!-- npm run faults writes from here -->'
const END = '<!-- to here -->'

/** Keeps a result, shows it, and writes the page anew from all that are kept. */
export function report<K extends keyof Results>(
  name: K,
  began: number,
  result: Results[K]['result'],
) {
  const kept = {
    at: new Date(began).toISOString(),
    machine: JSON.stringify(readMachine()),
    seconds: Math.round((Date.now() - began) / 1000),
    result,
  }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(new URL(`${name}.json`, FOLDER), `${JSON.stringify(kept, null, 1)}\n`)
  console.log(showResults({ [name]: kept } as Partial<Results>))
  writePage()
}

function readKept<K extends keyof Results>(name: K): Results[K] | undefined {
  try {
    return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'))
  } catch {
    return undefined
  }
}

function writePage(): void {
  const page = readFileSync(PAGE, 'utf8')
  const [before, rest = ''] = page.split(BEGIN)
  const after = rest.split(END)[1] ?? '\n'
  const all = { seeded: readKept('seeded'), steps: readKept('steps'), plants: readKept('plants') }
  writeFileSync(
    PAGE,
    `${before}${BEGIN}\n\n${showResults(all as Partial<Results>)}\n${END}${after}`,
  )
}

/** Markdown, and readable as it is. */
export function showResults({ seeded, steps, plants }: Partial<Results>): string {
  return [
    ...(seeded ? showSeeded(seeded) : []),
    ...(steps ? showSteps(steps) : []),
    ...(plants ? showPlants(plants) : []),
  ].join('\n')
}

const day = (at: string) => at.slice(0, 10)

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), '']
}

function showSeeded({ at, seconds, result }: Kept<Outcome>): string[] {
  const { seed, capacity, rate, rows, counts, verdict, faults } = result
  const groups = Object.entries(KINDS).flatMap(([target, kinds]) =>
    kinds.map(kind => rows.filter(row => row.target === target && row.kind === kind)),
  )
  const copies = verdict.copies.explained.reduce((sum, one) => sum + one.copies, 0)
  return [
    `### Faults by seed ${seed}`,
    '',
    `${day(at)}, ${rows.length} faults in ${seconds} s. Capacity ${Math.round(capacity)} requests/s with all they ` +
      `cause, ${Math.round(rate)} sent. ${counts.ok} requests ok, ${counts.refused} refused, ${counts.unknown} ` +
      `unknown (${counts.retried} retries with their key), ${counts.repeated} repeated on purpose, ` +
      `${counts.checks} looks of the reader.`,
    '',
    ...table(
      ['struck', 'fault', 'times', 'refused', 'unknown', 'first 2xx after the return, ms'],
      groups.filter(group => group.length > 0).map(showGroup),
    ),
    `After: ${verdict.events} events, each once; ${verdict.deliveries} messages, all arrived, with ${copies} further ` +
      `copies; everything due was done after ${(verdict.emptied_ms / 1000).toFixed(1)} s; \`bellwether verify\` ` +
      `${faults.length === 0 ? 'is clean' : 'and the checks above have to be read with the list below'}.`,
    '',
    ...showFaults(faults),
  ]
}

function showGroup(group: readonly Row[]): (string | number)[] {
  const [first] = group
  const sum = (read: (row: Row) => number) => group.reduce((all, row) => all + read(row), 0)
  const back = group.flatMap(row => row.recovered_ms ?? [])
  const notes = [...new Set(group.map(row => row.note).filter(note => note !== ''))]
  const kind = notes.length > 0 ? `${first!.kind} (${notes.join('; ')})` : first!.kind
  const slowest = back.length > 0 ? Math.max(...back) : ''
  return [first!.target, kind, group.length, sum(r => r.refused), sum(r => r.unknown), slowest]
}

function showSteps({ at, seconds, result }: Kept<StepOutcome[]>): string[] {
  const steps = [...new Set(result.map(one => one.step))]
  const bad = result.filter(one => one.faults.length > 0)
  return [
    '### Killed at every named step',
    '',
    `${day(at)}, ${result.length} kills at ${steps.length} steps in ${seconds} s: ${result.length - bad.length} good.`,
    '',
    ...table(
      ['part', 'steps'],
      [...Map.groupBy(steps, step => step.split('.')[0]!)].map(([part, names]) => [
        part,
        names.map(name => name.split('.')[1]).join(', '),
      ]),
    ),
    ...showFaults(bad.flatMap(one => one.faults.map(fault => `${one.step}, ${one.nth}: ${fault}`))),
  ]
}

function showPlants({ at, seconds, result }: Kept<Caught[]>): string[] {
  const planted = result.filter(one => one.plant !== null)
  const caught = planted.filter(one => one.faults.length > 0)
  return [
    '### Planted bugs',
    '',
    `${day(at)}, ${caught.length} of ${planted.length} caught in ${seconds} s; the same run without a planted bug ` +
      `finds ${result.find(one => one.plant === null)?.faults.length ?? 'was not made'} faults.`,
    '',
    ...table(
      ['planted', 'what is wrong', 'given away by'],
      planted.map(one => [one.plant!, one.about, shorten(one.faults[0] ?? 'NOT CAUGHT')]),
    ),
  ]
}

/** Ids differ from run to run and say nothing. */
function shorten(fault: string): string {
  return fault
    .replace(/\b(evt|dlv|emp|req|rule)_\w+/g, '$1_…')
    .replaceAll('|', '/')
    .slice(0, 110)
}

function showFaults(faults: readonly string[]): string[] {
  if (faults.length === 0) return []
  return ['What was wrong:', '', ...faults.slice(0, 30).map(fault => `- ${shorten(fault)}`), '']
}
