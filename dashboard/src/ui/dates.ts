// Times and days as people say them. Pure.

const STEPS: readonly [limit: number, size: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, 'second'],
  [3600, 60, 'minute'],
  [86_400, 3600, 'hour'],
  [86_400 * 14, 86_400, 'day'],
  [86_400 * 60, 86_400 * 7, 'week'],
  [86_400 * 365, 86_400 * 30.4, 'month'],
  [Number.POSITIVE_INFINITY, 86_400 * 365, 'year'],
]

/** In numbers: “yesterday” would be a day of the calendar, which 30 hours ago may not be. */
const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' })
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

export function sayTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  const away = Math.abs(seconds)
  const [, size, unit] = STEPS.find(([limit, size]) => Math.round(away / size) * size < limit)!
  if (unit === 'second' && away < 5) return 'just now'
  return words.format(Math.round(seconds / size), unit)
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** A day there is, from 1970 on: the server reads no other. A year that is still being typed has zeros in front. */
export function isDate(text: string | undefined): text is string {
  const at = text !== undefined && DATE.test(text) ? Date.parse(text) : Number.NaN
  return at >= 0 && new Date(at).toISOString().startsWith(text!)
}

/** A day that was named, such as 2026-11-16, is that day in every zone: where it begins for the viewer. */
export const beginOf = (date: string): number => Date.parse(`${date}T00:00`)

/** A moment in the viewer's zone, as a field for it wants it: its first ten characters are the day. */
export function printLocal(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offset).toISOString().slice(0, 16)
}

export const sayDay = (at: string | number): string => day.format(new Date(at))
/** The viewer's time, to the minute. */
export const sayMoment = (at: number): string => moment.format(new Date(at))
export const sayShortDay = (at: string | number): string => shortDay.format(new Date(at))
/** The viewer's own time, and the same in UTC. */
export const sayExact = (at: string): string => `${local.format(new Date(at))} · ${sayUtc(at)}`
const sayUtc = (at: string): string => `${at.replace('T', ' ').slice(0, 19)} UTC`
