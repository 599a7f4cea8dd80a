// Secrets that must be used again (signing secrets, second factors) are sealed before they reach the database.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSameSecret } from './tokens.ts'

export type Secrets = {
  /** AES-256-GCM; `purpose` binds the text to its place, so a sealed value moved elsewhere does not open. */
  seal(text: string, purpose: string): string
  open(sealed: string, purpose: string): string
  /** What only a holder of the key can make of this text; by a key of its own for each purpose. */
  sign(text: string, purpose: string): string
  /** True where `signature` was made of this text for this purpose, by the key or the one before. */
  isSigned(signature: string, text: string, purpose: string): boolean
  /** By which a text is known again without being kept: by the key in use, then by the one before. */
  hash(text: string, purpose: string): Buffer[]
}

/** `before` is the key in use until now: what it sealed still opens, and is sealed by the new one from now on. */
export function createSecrets(key: Buffer, before: Buffer | null = null): Secrets {
  return {
    seal(text, purpose) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed, purpose) {
      const text = openWith(key, sealed, purpose) ?? (before && openWith(before, sealed, purpose))
      if (text === null) throw new Error('a stored secret cannot be opened')
      return text
    },
    sign: (text, purpose) => hashWith(key, text, purpose).toString('hex'),
    isSigned: (signature, text, purpose) =>
      hashes(text, purpose).some(one => isSameSecret(signature, one.toString('hex'))),
    hash: hashes,
  }

  function hashes(text: string, purpose: string): Buffer[] {
    const keys = before === null ? [key] : [key, before]
    return keys.map(one => hashWith(one, text, purpose))
  }
}

/** Each purpose has a key of its own. */
function hashWith(key: Buffer, text: string, purpose: string): Buffer {
  const own = Buffer.from(hkdfSync('sha256', key, '', purpose, 32))
  return createHmac('sha256', own).update(text).digest()
}

/** A stored value and the place it is bound to. */
export type Sealed = { readonly sealed: string; readonly purpose: string }

/** Null: it was sealed with a key that is gone, or for another place. */
export function openOrNull(secrets: Secrets, sealed: string, purpose: string): string | null {
  try {
    return secrets.open(sealed, purpose)
  } catch {
    return null
  }
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** Null for anything that this key did not seal for this purpose; why is not told apart. */
function openWith(key: Buffer, sealed: string, purpose: string): string | null {
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  if (!sealed.startsWith('v1.') || bytes.length < IV_BYTES + TAG_BYTES) return null
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
    decipher.setAAD(Buffer.from(purpose))
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    const body = bytes.subarray(IV_BYTES + TAG_BYTES)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

const LEAST_CHARACTERS = 32

/** A setting of so many characters becomes the key; its hash gives the right length. */
export function keyFromSetting(setting: string): Buffer {
  return createHash('sha256').update(setting).digest()
}

/** On the embedded database the key is made once and kept beside the data, for its owner only. */
export function keyFromFolder(dataDir: string): Buffer {
  mkdirSync(dataDir, { recursive: true })
  return keyFromSetting(readOrMakeSecret(keyFile(dataDir)))
}

export function keyFile(dataDir: string): string {
  return join(dataDir, 'secret.key')
}

/** 32 random bytes as text. Invariant: the file appears whole, so that neither a crash nor another process at once finds half of it. */
export function readOrMakeSecret(path: string): string {
  try {
    return readSecret(path)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
  }
  const draft = `${path}.${randomUUID()}`
  const text = `${randomBytes(32).toString('base64url')}\n`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    linkSync(draft, path)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readSecret(path)
}

function readSecret(path: string): string {
  const text = readFileSync(path, 'utf8').trim()
  if (text.length >= LEAST_CHARACTERS) return text
  throw new Error(
    `${path} is empty or cut off: put your copy of it back, or remove it where there is no database yet`,
  )
}
