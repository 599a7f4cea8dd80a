// The arithmetic of a benchmark: medians, spread, ratios and the table that shows them. Pure.
import type { Machine } from './machine.ts'

export const WAYS = ['ours', 'usual', 'limit'] as const
export type Way = (typeof WAYS)[number]
export type Figures = Partial<Record<Way, number>>

export type Check = { name: string; ok: boolean; detail?: string }
export type Goal = { name: string; ok: boolean; measured: string }

/** What the figure is at another size. */
export type CurvePoint = { size: Record<string, number>; median: Figures }

export type Result = {
  name: string
  about: string
  at: string
  machine: Machine
  /** How long it took, loading left out. */
  seconds: number
  size: Record<string, number>
  unit: string
  rounds: number
  median: Figures
  spread: Figures
  ratio: { usual?: number; limit?: number }
  /** Further figures of the same run, by name. */
  also: Record<string, number>
  checks: Check[]
  goals: Goal[]
  curve: CurvePoint[]
  reached: boolean
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0
}

/** Half of what lies between the extremes, as a share of the median. */
export function spread(values: readonly number[]): number {
  const middle = median(values)
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / 2 / middle
}

/** Rates divide as they are; times the other way round, so that a ratio above 1 is always better. */
export function ratioOf(ours: number, other: number | undefined, unit: string): number | undefined {
  if (other === undefined || other === 0 || ours === 0) return undefined
  return unit.endsWith('/s') ? ours / other : other / ours
}

const round = (value: number) => Number(value.toPrecision(4))

export function showResult(result: Result): string {
  const { name, unit, rounds } = result
  const size = Object.entries(result.size).map(
    ([key, value]) => `${key} ${value.toLocaleString('en')}`,
  )
  const lines = [`${name} (${size.join(', ')}; ${rounds} rounds, ${unit})`]
  for (const way of WAYS) {
    const value = result.median[way]
    if (value === undefined) continue
    const percent = Math.round((result.spread[way] ?? 0) * 100)
    const ratio = way === 'ours' ? undefined : result.ratio[way]
    const compared = ratio === undefined ? '' : `  ours is ${ratio.toFixed(2)} of it`
    lines.push(`  ${way.padEnd(6)} ${String(round(value)).padStart(10)}  ± ${percent} %${compared}`)
  }
  for (const [key, value] of Object.entries(result.also)) lines.push(`  ${key}: ${round(value)}`)
  for (const check of result.checks) {
    lines.push(
      `  check ${check.ok ? 'ok  ' : 'FAIL'} ${check.name}${check.detail ? ` (${check.detail})` : ''}`,
    )
  }
  for (const goal of result.goals) {
    lines.push(`  goal  ${goal.ok ? 'ok  ' : 'MISS'} ${goal.name}: ${goal.measured}`)
  }
  lines.push(`  ${result.reached ? 'reached' : 'not reached'}, in ${result.seconds} s`)
  return lines.join('\n')
}
