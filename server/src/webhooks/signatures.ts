// How a webhook is signed: the header of the contract and those of Standard Webhooks, with two secrets while one replaces the other.
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Instant } from '../platform/clock.ts'

const PREFIX = 'whsec_'

/** 32 random bytes; shown once, sealed at rest. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/** A secret made ready: as shown, and its decoded bytes. */
export type SigningKey = { readonly shown: KeyObject; readonly bytes: KeyObject }

export function readSecret(secret: string): SigningKey {
  return {
    shown: createSecretKey(secret, 'utf8'),
    bytes: createSecretKey(secret.slice(PREFIX.length), 'base64'),
  }
}

/** The keys of a subscription; `fresh` replaces `secret` when the rotation ends or it is activated. */
export type SigningKeys = {
  readonly secret: SigningKey
  readonly fresh: SigningKey | null
  readonly rotation_ends_at: Instant | null
  readonly activated: boolean
}

/** `service` signs X-Service-Signature; every one of `standard` signs webhook-signature. */
function keysInForce(keys: SigningKeys, now: Instant) {
  const { secret, fresh, rotation_ends_at, activated } = keys
  if (fresh === null) return { service: secret, standard: [secret] }
  if (now >= (rotation_ends_at ?? 0)) return { service: fresh, standard: [fresh] }
  const [service, other] = activated ? [fresh, secret] : [secret, fresh]
  return { service, standard: [service, other] }
}

/** Keyed with the secret as shown. */
function signService({ shown }: SigningKey, body: string): string {
  return `sha256=${createHmac('sha256', shown).update(body).digest('hex')}`
}

/** Keyed with the decoded bytes of each secret. */
function signStandard(
  keys: readonly SigningKey[],
  id: string,
  seconds: number,
  body: string,
): string {
  const signed = `${id}.${seconds}.${body}`
  return keys
    .map(({ bytes }) => `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`)
    .join(' ')
}

export type Signatures = { signature: string; standard_signature: string }

export function signDelivery(
  keys: SigningKeys,
  delivery_id: string,
  body: string,
  now: Instant,
): Signatures {
  const { service, standard } = keysInForce(keys, now)
  const seconds = Math.floor(now / 1000)
  return {
    signature: signService(service, body),
    standard_signature: signStandard(standard, delivery_id, seconds, body),
  }
}

/** The headers of a delivery, as sent and as shown in its log; a trace adds its own. */
export function deliveryHeaders(
  delivery: { delivery_id: string; event: string },
  signatures: Signatures,
  started_at: Instant,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Bellwether-Webhooks/1',
    'X-Service-Signature': signatures.signature,
    'X-Service-Event': delivery.event,
    'X-Service-Delivery': delivery.delivery_id,
    'webhook-id': delivery.delivery_id,
    'webhook-timestamp': String(Math.floor(started_at / 1000)),
    'webhook-signature': signatures.standard_signature,
  }
}
