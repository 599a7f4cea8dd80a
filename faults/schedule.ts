// Which faults strike what, in which order: made from a seed, pure.
import { createRandom, type Random } from '../server/src/demo/random.ts'

export type Target = 'postgres' | 'server' | 'worker' | 'receiver'
export type Kind =
  | 'kill'
  | 'stop'
  | 'restart'
  | 'finish'
  | 'reset'
  | 'latency'
  | 'away 3 s'
  | 'away 30 s'
  | 'disk full'
  | 'clock +1 h'
  | 'clock -1 h'

export type Fault = {
  readonly target: Target
  readonly kind: Kind
  /** Which of several of its kind, in [0, 1). */
  readonly which: number
  /** How long the load goes on undisturbed before it. */
  readonly rest_ms: number
}

const ANYWHERE = ['kill', 'stop', 'restart', 'finish', 'reset', 'latency'] as const

export const KINDS: Readonly<Record<Target, readonly Kind[]>> = {
  postgres: [...ANYWHERE, 'away 3 s', 'away 30 s', 'disk full'],
  server: [...ANYWHERE, 'clock +1 h', 'clock -1 h'],
  worker: [...ANYWHERE, 'clock +1 h', 'clock -1 h'],
  receiver: [...ANYWHERE, 'away 3 s'],
}

/** At most so many, because they take long. */
const MOST: Partial<Record<Kind, number>> = { 'away 30 s': 3, 'disk full': 2 }
const LEAST_ON_POSTGRES = 15
const REST_MS = 1_500

/** Each kind on each target once, then more by chance; at least fifteen in forty on PostgreSQL. */
export function makeSchedule(seed: number, count: number): Fault[] {
  const random = createRandom(seed)
  const all = Object.entries(KINDS).flatMap(([target, kinds]) =>
    kinds.map(kind => ({ target: target as Target, kind })),
  )
  const chosen = shuffle(random, all).slice(0, count)
  const onPostgres = () => chosen.filter(one => one.target === 'postgres').length
  const least = Math.ceil((LEAST_ON_POSTGRES * count) / 40)
  while (chosen.length < count) {
    const left = count - chosen.length
    const must = onPostgres() + left <= least
    const from = must ? all.filter(one => one.target === 'postgres') : all
    const one = from[Math.floor(random() * from.length)]!
    const had = chosen.filter(other => other.kind === one.kind).length
    if (had < (MOST[one.kind] ?? count)) chosen.push(one)
  }
  return shuffle(random, chosen).map(one => ({
    ...one,
    which: random(),
    rest_ms: Math.round(REST_MS * (0.5 + random())),
  }))
}

function shuffle<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map(one => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}
