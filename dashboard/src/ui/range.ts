// The span of time a page looks at: a word or two dates in the address, instants for the server.
import type { Address } from '../app/address.ts'
import { isDate } from './dates.ts'

export const RANGES = {
  '24h': { label: '24 h', days: 1, words: 'in 24 hours' },
  '7d': { label: '7 d', days: 7, words: 'in 7 days' },
  '30d': { label: '30 d', days: 30, words: 'in 30 days' },
  '90d': { label: '90 d', days: 90, words: 'in 90 days' },
} as const

export type RangeName = keyof typeof RANGES | 'own'

export type Range = {
  name: RangeName
  from: string
  to: string | undefined
  /** What answers are kept under while it moves on with the time; none where it stands still. */
  span: string | undefined
  words: string
  interval: 'daily' | 'weekly' | 'monthly'
}

const DAY = 86_400_000

/** Whether both are whole dates, the first not after the last. */
export function isSpan(from: string | undefined, to: string | undefined): boolean {
  return isDate(from) && isDate(to) && from <= to
}

/** Ends at now are left to the server; whole minutes, so that the same look is not asked for anew each time. */
export function readRange(address: Address, now: number): Range {
  const { range, from, to } = address
  if (range === 'own' && from && to && isSpan(from, to)) {
    const days = (Date.parse(to) - Date.parse(from)) / DAY + 1
    const words = `from ${from} to ${to}`
    return { name: 'own', from, to, span: undefined, words, interval: intervalOf(days) }
  }
  const name = range !== undefined && range in RANGES ? (range as keyof typeof RANGES) : '30d'
  const { days, words } = RANGES[name]
  const minute = Math.floor(now / 60_000) * 60_000
  const start = new Date(minute - days * DAY).toISOString()
  return { name, from: start, to: undefined, span: name, words, interval: intervalOf(days) }
}

function intervalOf(days: number): Range['interval'] {
  if (days <= 120) return 'daily'
  return days <= 800 ? 'weekly' : 'monthly'
}
