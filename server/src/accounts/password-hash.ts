// Passwords are kept as argon2id; few run at once, so that a flood of logins does not starve the rest.
import crypto, { type Argon2Parameters } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'
import { ApiError } from '../platform/errors.ts'

type Cost = Config['password_cost']

/** Half the cores at most: the others go on with everything else. */
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2))
const MOST_WAITING = 64
const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

let running = 0
const waiting: (() => void)[] = []

/** A place among the few; refused at once when too many wait already. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING) throw tooMany('UNAVAILABLE', 'logins')
    await new Promise<void>(resolve => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    // The place goes to the next in line, so that nobody overtakes.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

function tooMany(code: 'UNAVAILABLE' | 'RATE_LIMITED', what: string): ApiError {
  const headers = { 'retry-after': '2' }
  return new ApiError(code, `too many ${what} at once; try again shortly`, { headers })
}

function derive(password: string, nonce: Buffer, memory: number, passes: number): Promise<Buffer> {
  const parameters: Argon2Parameters = {
    message: password,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory,
    passes,
  }
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        crypto.argon2('argon2id', parameters, (error, tag) =>
          error ? reject(error) : resolve(tag),
        )
      }),
  )
}

export async function hashPassword(
  password: string,
  { memory_kib, passes }: Cost,
): Promise<string> {
  const nonce = crypto.randomBytes(16)
  const tag = await derive(password, nonce, memory_kib, passes)
  return `$argon2id$v=19$m=${memory_kib},t=${passes},p=1$${bare(nonce)}$${bare(tag)}`
}

/** A choice and its repeats; more of one person at once would keep everybody else from logging in. */
const MOST_CHOICES = 3
/** Half of the line stays for logins, however many people choose. */
const MOST_CHOOSING = MOST_WAITING / 2
const choices = new Map<string, number>()
let choosing = 0

/** The hash of a password that somebody chooses. No throttle stands before it, so these alone may not fill the line. */
export async function hashChosen(user_id: string, password: string, cost: Cost): Promise<string> {
  const own = choices.get(user_id) ?? 0
  if (own >= MOST_CHOICES) throw tooMany('RATE_LIMITED', 'new passwords for this account')
  if (choosing >= MOST_CHOOSING) throw tooMany('UNAVAILABLE', 'new passwords')
  choices.set(user_id, own + 1)
  choosing++
  try {
    return await hashPassword(password, cost)
  } finally {
    choosing--
    const left = choices.get(user_id)! - 1
    if (left > 0) choices.set(user_id, left)
    else choices.delete(user_id)
  }
}

function bare(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

/** Without a stored hash the same work is done for nothing, so that time does not tell who exists. */
export async function verifyPassword(
  password: string,
  stored: string | null,
  cost: Cost,
): Promise<boolean> {
  const { nonce, tag, memory, passes } = parse(stored, cost)
  const given = await derive(password, nonce, memory, passes)
  return crypto.timingSafeEqual(given, tag) && stored !== null
}

function parse(stored: string | null, cost: Cost) {
  const match = stored === null ? null : FORM.exec(stored)
  if (stored !== null && !match) throw new Error('a stored password hash has an unknown form')
  if (!match) {
    const nothing = { nonce: Buffer.alloc(16), tag: Buffer.alloc(32) }
    return { ...nothing, memory: cost.memory_kib, passes: cost.passes }
  }
  const [, memory, passes, nonce = '', tag = ''] = match
  return {
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
  }
}

/** True when the hash was made at another cost and should be made anew at the next login. */
export function isOutdated(stored: string, { memory_kib, passes }: Cost): boolean {
  const match = FORM.exec(stored)
  return Number(match?.[1]) !== memory_kib || Number(match?.[2]) !== passes
}
