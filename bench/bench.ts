// What a benchmark is: ways of doing the same thing, measured in turns, checked afterwards, held to goals.
import type { Check, Figures, Goal, Way } from './rounds.ts'

export type Size = Record<string, number>

export type Trial = {
  /** Each does the work once and returns its figure in the benchmark's unit. */
  readonly ways: Partial<Record<Way, () => Promise<number>>>
  /** Figures beside the main one, measured once after the rounds. */
  also?(medians: Figures): Promise<Record<string, number>>
  /** Correctness, judged on the rows afterwards; one that fails fails the run. */
  checks(): Promise<Check[]>
  goals(medians: Figures, also: Record<string, number>): Goal[]
  close(): Promise<void>
}

export type Bench = {
  readonly name: string
  readonly about: string
  /** What bounds the figure, for the report; null until a profile at full size has shown it. */
  readonly bound: string | null
  /** A rate ends in `/s` and is better when larger; anything else is a time. */
  readonly unit: string
  readonly size: Size
  /** What `--full` changes of the size. */
  readonly full?: Size
  /** The sizes that make its curve: `--curve` measures at a tenth and a third of them too. */
  readonly grows?: readonly string[]
  open(size: Size): Promise<Trial>
}

export function goal(name: string, ok: boolean, measured: number | string): Goal {
  return { name, ok, measured: typeof measured === 'number' ? measured.toPrecision(3) : measured }
}
