// Signs in to the database as a pooler does, by SCRAM-SHA-256 (RFC 7677), where a test speaks its protocol itself.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const [SASL, CONTINUE] = [10, 11]
const MECHANISM = 'SCRAM-SHA-256'

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Takes the messages of type R one after the other; gives back what to answer, or null. */
export function signIn(password: string): (message: Buffer) => Buffer | null {
  const first = `n=,r=${randomBytes(18).toString('base64')}`
  return message => {
    const step = message.readInt32BE(5)
    if (step === SASL) {
      const body = Buffer.from(`n,,${first}`)
      const length = Buffer.alloc(4)
      length.writeInt32BE(body.length)
      return answer(Buffer.concat([Buffer.from(`${MECHANISM}\0`), length, body]))
    }
    if (step !== CONTINUE) return null
    const theirs = message.toString('utf8', 9)
    const [, nonce, salt, rounds] = /^r=([^,]+),s=([^,]+),i=(\d+)/.exec(theirs)!
    const salted = pbkdf2Sync(password, Buffer.from(salt!, 'base64'), Number(rounds), 32, 'sha256')
    const key = hmac(salted, 'Client Key')
    const last = `c=biws,r=${nonce}`
    const signed = hmac(createHash('sha256').update(key).digest(), `${first},${theirs},${last}`)
    const proof = Buffer.from(key.map((byte, i) => byte ^ signed[i]!)).toString('base64')
    return answer(Buffer.from(`${last},p=${proof}`))
  }
}

function answer(body: Buffer): Buffer {
  const head = Buffer.from('p\0\0\0\0')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
