// SQL of saved answers that hold a secret.
import type { Tx } from '../platform/database.ts'

/** They live for a day and are made only where a secret is shown, so they are few. */
export async function listSealedAnswers(tx: Tx, tenant_id: string) {
  return tx<{ request: string; answer: string }[]>`
    SELECT request, answer FROM idempotent_answers
    WHERE tenant_id = ${tenant_id} AND encrypted AND answer IS NOT NULL`
}
