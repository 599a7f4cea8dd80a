// Random secrets that are handed out once and kept as a hash: sessions, links, codes and tokens.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 43

/** 32 random bytes in 43 letters and digits. */
export function newToken(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`)
  let text = ''
  for (; text.length < LENGTH; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text
  return text
}

/** 256 random bits cannot be guessed, so a fast hash is enough. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Takes the same time wherever two texts differ. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashToken(a), hashToken(b))
}
