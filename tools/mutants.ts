// Reads the report of the mutation tests: the score of each file, and every change that no test noticed.

export type Mutant = {
  readonly mutatorName: string
  readonly status: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number } }
}
export type MutationReport = {
  readonly files: Readonly<Record<string, { source: string; mutants: readonly Mutant[] }>>
}

const NOTICED = new Set(['Killed', 'Timeout'])
const ALIVE = new Set(['Survived', 'NoCoverage'])

export function scoreOf(mutants: readonly Mutant[]) {
  const noticed = mutants.filter(({ status }) => NOTICED.has(status)).length
  const alive = mutants.filter(({ status }) => ALIVE.has(status)).length
  const all = noticed + alive
  return { noticed, all, score: all === 0 ? 100 : (100 * noticed) / all }
}

export function printSurvivors({ files }: MutationReport, day: string): string {
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))
  const total = scoreOf(sorted.flatMap(([, { mutants }]) => mutants))
  return `${[
    '# What mutation tests left alive',
    '',
    `\`npm run mutants\` changes the pure files in every way it knows and runs their tests. On ${day} they noticed`,
    `${total.noticed} of ${total.all} changes (${total.score.toFixed(1)} %). Most of what is left changes nothing anybody can see:`,
    'a shortcut taken or not, `<` for `<=` where both sides give the same, a bound approached from the other side.',
    '',
    '| File | Changes | Noticed |',
    '| ---- | ------: | ------: |',
    ...sorted.map(([file, { mutants }]) => {
      const { all, score } = scoreOf(mutants)
      return `| \`${file}\` | ${all} | ${score.toFixed(1)} % |`
    }),
    '',
    '## Survivors',
    '',
    ...sorted.flatMap(([file, own]) => listAlive(file, own)),
  ].join('\n')}`
}

function listAlive(
  file: string,
  { source, mutants }: { source: string; mutants: readonly Mutant[] },
) {
  const lines = source.split('\n')
  const alive = mutants.filter(({ status }) => ALIVE.has(status))
  if (alive.length === 0) return []
  const items = alive.map(({ mutatorName, replacement = '', location }) => {
    const { line } = location.start
    const [was, is] = [lines[line - 1]!, replacement].map(shorten)
    return `- line ${line}, ${mutatorName}: \`${was}\` → \`${is || 'nothing'}\``
  })
  return [`### \`${file}\``, '', ...items, '']
}

function shorten(text: string): string {
  const flat = text.trim().replaceAll(/\s+/g, ' ').replaceAll('`', "'")
  return flat.length > 90 ? `${flat.slice(0, 90)}…` : flat
}
