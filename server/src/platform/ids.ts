// Ids are made here, not in the database: time-ordered, letters and digits only, safe in any URL.
import { hash, randomBytes } from 'node:crypto'
import type { Instant } from './clock.ts'

/** Every kind of id that is made here; those of apps are credentials (oauth/token-format). */
export type IdPrefix =
  | 'ten'
  | 'key'
  | 'emp'
  | 'rule'
  | 'evt'
  | 'job'
  | 'unm'
  | 'req'
  | 'whk'
  | 'dlv'
  | 'usr'
  | 'ses'
  | 'inv'
  | 'grt'
  | 'act'
  | 'pol'
  | 'ntf'
  | 'msg'
  | 'rcv'
  | 'mem'
  | 'cnt'

const SECRET = randomBytes(32).toString('hex')
let made = 0n
let [lastAt, base] = [0, baseOf(0)]

/** Ids made by one process ascend, also within a millisecond and whatever ids of other instants are made in between. */
export function newId(prefix: IdPrefix, now: Instant): string {
  if (now !== lastAt) [lastAt, base] = [now, baseOf(now)]
  made += 1n
  return `${prefix}_${now.toString(36).padStart(9, '0')}${(base + made).toString(36).padStart(13, '0')}`
}

/** Every instant has a number of its own, which nobody knows beforehand and no other process shares. */
function baseOf(at: Instant): bigint {
  return BigInt(`0x${hash('sha256', SECRET + at).slice(0, 16)}`)
}

/** No id of this kind made at or after `at` sorts before this text, and none made earlier after it. */
export function idFloor(prefix: IdPrefix, at: Instant): string {
  const known = Math.min(Math.max(at, 0), LAST_INSTANT)
  return `${prefix}_${known.toString(36).padStart(9, '0')}`
}

/** Nine digits hold it, in the year 5188. */
const LAST_INSTANT = 36 ** 9 - 1

/** The part of an id after its prefix. */
export function idPart(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}
