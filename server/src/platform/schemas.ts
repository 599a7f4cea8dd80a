// Small shapes that every slice's schema uses.
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import Type from 'typebox'
import { DATE_OR_MOMENT } from './dates.ts'
import { formTold } from './openapi-schemas.ts'
import { NAME } from './unseen-marks.ts'

const EXAMPLE_INSTANT = '2026-03-02T09:00:00.000Z'

/** An instant in an answer: a Date in code, ISO 8601 UTC in JSON. */
export const Instant = (description: string, example = EXAMPLE_INSTANT) =>
  Type.Unsafe<Date>({ type: 'string', format: 'date-time', description, examples: [example] })

export const NullableInstant = (description: string, example: string | null = EXAMPLE_INSTANT) =>
  Type.Unsafe<Date | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description,
    examples: [example],
  })

/** A name of a list; the first is the example, unless one is given or is the default. */
export const oneOf = <T extends string>(
  values: readonly T[],
  description: string,
  fallback?: T,
  example = fallback ?? values[0],
) =>
  Type.Unsafe<T>({
    type: 'string',
    enum: [...values],
    description,
    examples: [example],
    ...(fallback === undefined ? {} : { default: fallback }),
  })

/** `from` and `to` of a query; read by platform/dates. */
export const WindowQuery = {
  from: Type.Optional(
    Type.String({
      maxLength: 40,
      pattern: DATE_OR_MOMENT,
      description:
        'First instant: an ISO date (whole UTC day) or a date-time with zone. Inclusive.',
      examples: ['2026-03-01'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      maxLength: 40,
      pattern: DATE_OR_MOMENT,
      description: 'Last instant: an ISO date (whole UTC day) or a date-time with zone. Inclusive.',
      examples: ['2026-03-31'],
    }),
  ),
}

/** What people call something by; `name` is a form of our own, so the document tells it as a pattern. */
export const Name = (options: object) =>
  formTold(Type.String({ ...options, format: 'name' }), { format: undefined, pattern: NAME })

/** An answer without a body. */
export const NoBody = (description: string) => Type.Unsafe<undefined>({ type: 'null', description })

const NoQuery = Type.Object({}, { additionalProperties: false })

type Gate = FastifyContextConfig

/** A route of the public API: what the gate asks, mostly a scope alone, and the schema; it takes no query unless named. */
export const operation = <const S extends FastifySchema>(
  gate: Gate | NonNullable<Gate['scope']>,
  schema: S,
) => ({
  config: typeof gate === 'object' ? gate : { scope: gate },
  schema: { querystring: NoQuery, ...schema } as S,
})

/** Of routes that the API's document does not show. */
export const hidden = { hidden: true, querystring: NoQuery } as const
export const hiddenById = {
  ...hidden,
  params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
} as const

export const IdParams = (what: string, example: string) =>
  Type.Object({
    id: Type.String({
      maxLength: 1000,
      description: `The id of the ${what}.`,
      examples: [example],
    }),
  })
