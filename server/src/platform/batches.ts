// Batches: many things in one request, each judged and answered for itself.
import Type from 'typebox'
import { ErrorFault } from './error.schema.ts'
import type { ApiError } from './errors.ts'

export const MOST_IN_BATCH = 1000

/** A batch draws one request for each hundred begun. */
export const requestsOf = (items: readonly unknown[]): number => Math.ceil(items.length / 100)

/** Each is checked by itself, so that a bad one fails alone. */
export const batchItems = (description: string) =>
  Type.Array(Type.Unsafe<unknown>({ type: 'object', additionalProperties: true, description }), {
    minItems: 1,
    maxItems: MOST_IN_BATCH,
    description: 'Taken in order; a bad one fails alone.',
  })

export const BatchIndex = Type.Integer({ description: 'Place in the request, from 0.' })

export const BatchError = Type.Object(
  {
    code: Type.String({ description: 'The same codes as everywhere.' }),
    message: Type.String({ description: 'For people; may change.' }),
    details: Type.Optional(Type.Array(ErrorFault, { description: 'Every fault that was found.' })),
  },
  { description: 'Why it was not taken.' },
)

export function errorItem(index: number, error: ApiError) {
  const { code, message, details } = error
  return { index, status: error.status, error: { code, message, ...(details ? { details } : {}) } }
}
