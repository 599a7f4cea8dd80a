// SQL of a person's rights in this slice: saved answers of repeated requests that name somebody.
import type { Tx } from '../platform/database.ts'
import { mentionPattern } from '../platform/mentions.ts'

/** The request stays claimed, so that its repeat makes nobody anew; only the answer's body is gone. */
export async function eraseAnswers(tx: Tx, tenant_id: string, email: string): Promise<void> {
  const pattern = mentionPattern(email)
  await tx`UPDATE idempotent_answers SET answer = NULL, location = NULL
    WHERE tenant_id = ${tenant_id} AND answer ~* ${pattern}`
  await tx`DELETE FROM idempotent_answers
    WHERE tenant_id = ${tenant_id} AND strpos(lower(request), ${email.toLowerCase()}) > 0`
}
