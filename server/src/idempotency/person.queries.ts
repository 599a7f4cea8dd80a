// SQL of a person's rights in this slice: saved answers about them, and those that no pattern can look into.
import type { Tx } from '../platform/database.ts'

/**
 * Answers about the person that hold words of people; those about events hold numbers only. Which request it was is
 * asked first, as the answers of a day's batches would take long to look into.
 */
export async function eraseAnswersAbout(tx: Tx, tenant_id: string, employee_id: string) {
  await tx`UPDATE idempotent_answers SET answer = NULL, location = NULL
    WHERE tenant_id = ${tenant_id} AND NOT encrypted AND request ~ '^POST /v1/(actions|employees)'
      AND strpos(answer, ${employee_id}) > 0`
}

/** They live for a day and are made only where a secret is shown, so they are few. */
export async function listSealedAnswers(tx: Tx, tenant_id: string) {
  return tx<{ request: string; answer: string }[]>`
    SELECT request, answer FROM idempotent_answers
    WHERE tenant_id = ${tenant_id} AND encrypted AND answer IS NOT NULL`
}

/** The request stays claimed, so that its repeat makes nothing anew; only the answer's body is gone. */
export async function emptyAnswers(tx: Tx, tenant_id: string, requests: string[]): Promise<void> {
  await tx`UPDATE idempotent_answers SET answer = NULL, location = NULL, encrypted = false
    WHERE tenant_id = ${tenant_id} AND request = ANY(${requests}::text[])`
}
