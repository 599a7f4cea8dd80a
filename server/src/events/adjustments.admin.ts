// The dashboard's route for adjusting a score by hand; no scope covers it, so no key and no app can reach it.
import Type from 'typebox'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { patternSaid } from '../platform/say-fault.ts'
import { hiddenById } from '../platform/schemas.ts'
import { adjustScore } from './adjust-score.ts'

/** Whoever reads the log a year later has only this. */
const TEN_CHARACTERS = patternSaid(
  '\\S[^]{8,}\\S',
  'must have at least 10 characters, blanks around them not counted',
)

const AdjustmentBody = Type.Object(
  {
    impact: Type.Integer({ minimum: -100, maximum: 100 }),
    reason: Type.String({ maxLength: 500, pattern: TEN_CHARACTERS }),
  },
  { additionalProperties: false },
)

export function adjustmentsAdmin(server: Server, context: Context): void {
  server.post(
    '/admin/employees/:id/adjustments',
    {
      config: { session: 'scores:adjust', fresh: true },
      schema: { ...hiddenById, body: AdjustmentBody },
    },
    (request, reply) => {
      const adjustment = { ...request.body, employee_id: request.params.id }
      return answerOnce(context, request, reply, async (tx, asked) => {
        const body = await adjustScore(tx, asked, adjustment)
        return { status: 201, body }
      })
    },
  )
}
