// Writes what the last run of the mutation tests left alive, and fails below the score we promise.
import { readFileSync, writeFileSync } from 'node:fs'
import { type MutationReport, printSurvivors, scoreOf } from './mutants.ts'

const LEAST = 90
const report = JSON.parse(
  readFileSync(new URL('../.tmp/mutants.json', import.meta.url), 'utf8'),
) as MutationReport
const day = new Date().toISOString().slice(0, 10)
writeFileSync(new URL('../docs/security/mutants.md', import.meta.url), printSurvivors(report, day))
const { score } = scoreOf(Object.values(report.files).flatMap(file => file.mutants))
process.stdout.write(`${score.toFixed(1)} % of the mutants were noticed\n`)
process.exitCode = score >= LEAST ? 0 : 1
