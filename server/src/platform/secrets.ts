// Secrets that must be used again (signing secrets, second factors) are sealed before they reach the database.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Secrets = {
  /** AES-256-GCM; `purpose` binds the text to its place, so a sealed value moved elsewhere does not open. */
  seal(text: string, purpose: string): string
  open(sealed: string, purpose: string): string
}

export function createSecrets(key: Buffer): Secrets {
  return {
    seal(text, purpose) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed.slice(3), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}

/** A setting of at least 32 characters becomes the key; its hash gives the right length. */
export function keyFromSetting(setting: string): Buffer {
  return createHash('sha256').update(setting).digest()
}

/** On the embedded database the key is made once and kept beside the data, for its owner only. */
export function keyFromFolder(dataDir: string): Buffer {
  const path = join(dataDir, 'secret.key')
  try {
    return keyFromSetting(readFileSync(path, 'utf8').trim())
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
  }
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  return keyFromSetting(readFileSync(path, 'utf8').trim())
}
