// The form of an API key: it carries its tenant as a routing hint and a checksum against typing errors.
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'bw_live_'
const SECRET_LENGTH = 43
const CHECK_LENGTH = 6
const FORM = /^bw_live_([0-9a-z]{1,40})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

export function newKey(tenantPart: string): string {
  const secret = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH)
  const body = `${PREFIX}${tenantPart}_${secret}`
  return body + checksum(body)
}

/** The tenant's id part a well-formed key names, or null; says nothing about the key being valid. */
export function readTenantPart(key: string): string | null {
  const match = FORM.exec(key)
  if (!match || checksum(key.slice(0, -CHECK_LENGTH)) !== match[3]) return null
  return match[1] ?? null
}

/** All that is stored of a key. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function checksum(text: string): string {
  return toBase62(BigInt(crc32(text)), CHECK_LENGTH)
}

function toBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n)
    text = ALPHABET[Number(rest % 62n)] + text
  return text
}
