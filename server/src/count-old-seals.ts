// What the key of before still seals: while there is any of it, that key must not be dropped.
import { factorPurpose } from './accounts/totp.ts'
import { listFactors } from './accounts/users.queries.ts'
import { answerPurpose } from './idempotency/answer-once.ts'
import { listSealedAnswers } from './idempotency/sealed-answers.queries.ts'
import type { Context } from './platform/context.ts'
import { RESERVED_TENANT, type Tx } from './platform/database.ts'
import { createSecrets, keyFromSetting, openOrNull, type Sealed } from './platform/secrets.ts'
import { listInForce } from './webhooks/secrets-at-rest.ts'
import { listWebhooks } from './webhooks/webhooks.queries.ts'

export type OldSeals = {
  signing_secrets: number
  second_factors: number
  answers: number
}

/** Null where no key of before is set. */
export async function countOldSeals(
  { db, config, clock }: Context,
  tenant_ids: readonly string[],
): Promise<OldSeals | null> {
  const { secret_key, secret_key_before } = config
  if (secret_key_before === null) return null
  const found = { signing_secrets: 0, second_factors: 0, answers: 0 }
  // The key in use opens all that it has sealed.
  if (secret_key === secret_key_before) return found
  const old = createSecrets(keyFromSetting(secret_key_before))
  const count = (all: readonly Sealed[]) =>
    all.filter(({ sealed, purpose }) => openOrNull(old, sealed, purpose) !== null).length
  found.second_factors = count(await db.inTenant(RESERVED_TENANT, listSealedFactors))
  for (const tenant_id of tenant_ids) {
    const own = await db.inTenant(tenant_id, tx => listSealed(tx, tenant_id, clock.now()))
    found.signing_secrets += count(own.signing_secrets)
    found.answers += count(own.answers)
  }
  return found
}

async function listSealedFactors(tx: Tx): Promise<Sealed[]> {
  return (await listFactors(tx)).map(({ user_id, totp_secret }) => ({
    sealed: totp_secret,
    purpose: factorPurpose(user_id),
  }))
}

async function listSealed(tx: Tx, tenant_id: string, now: number) {
  const [webhooks, answers] = await Promise.all([
    listWebhooks(tx, tenant_id),
    listSealedAnswers(tx, tenant_id),
  ])
  return {
    signing_secrets: webhooks.flatMap(row => listInForce(tenant_id, row, now)),
    answers: answers.map(({ request, answer }) => ({
      sealed: answer,
      purpose: answerPurpose(tenant_id, request),
    })),
  }
}
