// The second factor: six digits of a 30 second step, the one before and the one after are taken too.
import { createHash, randomInt } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Instant } from '../platform/clock.ts'

/** Loaded when first used, so that it does not delay every start. */
const load = createRequire(import.meta.url)
const otplib = (): typeof import('otplib') => load('otplib')

const STEP_SECONDS = 30
const CODE = /^\d{6}$/

/** What its secret is sealed for. */
export const factorPurpose = (user_id: string) => `totp:${user_id}`

export function newTotpSecret(): string {
  return otplib().generateSecret()
}

export function totpUri(secret: string, email: string): string {
  return otplib().generateURI({ issuer: 'Bellwether', label: email, secret })
}

/** The step a code belongs to, or null. Invariant: the caller stores it, and takes no step twice. */
export function readStep(secret: string, code: string, now: Instant): number | null {
  // Apps and password managers show two groups, with a space of one kind or another between.
  const token = code.replace(/[\s-]/g, '')
  if (!CODE.test(token)) return null
  const epoch = Math.floor(now / 1000)
  const result = otplib().verifySync({ secret, token, epoch, epochTolerance: STEP_SECONDS })
  if (!result.valid) return null
  return Math.floor(epoch / STEP_SECONDS) + result.delta
}

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const RECOVERY_CODES = 10

/** Ten codes of 118 random bits, for the day the phone is gone; so many need no slow hash. */
export function newRecoveryCodes(): string[] {
  const letter = () => ALPHABET[randomInt(ALPHABET.length)]
  const group = () => Array.from({ length: 6 }, letter).join('')
  const code = () => Array.from({ length: 4 }, group).join('-')
  return Array.from({ length: RECOVERY_CODES }, code)
}

/** Random codes need no slow hash; the user's id keeps equal codes of two people apart. */
export function hashRecoveryCode(user_id: string, code: string): Buffer {
  const plain = code.toLowerCase().replace(/[^a-z0-9]/g, '')
  return createHash('sha256').update(`${user_id} ${plain}`).digest()
}
