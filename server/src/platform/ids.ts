// Ids are made here, not in the database: time-ordered, letters and digits only, safe in any URL.
import { randomBytes } from 'node:crypto'
import type { Instant } from './clock.ts'

/** Every kind of id the service hands out. */
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
  | 'app'
  | 'grt'
  | 'act'
  | 'pol'
  | 'ntf'
  | 'msg'
  | 'rcv'
  | 'mem'

let lastAt = 0
let lastRandom = 0n

/** Ids made by one process ascend, also within a millisecond. */
export function newId(prefix: IdPrefix, now: Instant): string {
  lastRandom = now === lastAt ? lastRandom + 1n : randomBytes(8).readBigUInt64BE(0)
  lastAt = now
  return `${prefix}_${now.toString(36).padStart(9, '0')}${lastRandom.toString(36).padStart(13, '0')}`
}

/** No id of this kind made at or after `at` sorts before this text, and none made earlier after it. */
export function idFloor(prefix: IdPrefix, at: Instant): string {
  return `${prefix}_${at.toString(36).padStart(9, '0')}`
}

/** The part of an id after its prefix. */
export function idPart(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}
