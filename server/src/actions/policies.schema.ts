// Shapes of action policies, for the dashboard.
import Type from 'typebox'
import { BANDS, type Band } from '../../../scoring/settings.ts'
import { NOT_BLANK } from '../platform/say-fault.ts'
import { Name } from '../platform/schemas.ts'
import { ActionTypeName, Parameters } from './actions.schema.ts'

const closed = { additionalProperties: false } as const
const Duration = Type.String({ maxLength: 20 })

const BandEntered = Type.Object(
  {
    kind: Type.Literal('band_entered'),
    bands: Type.Array(Type.Unsafe<Band>({ type: 'string', enum: [...BANDS] }), {
      minItems: 1,
      maxItems: BANDS.length,
      uniqueItems: true,
    }),
  },
  closed,
)

const EventHappened = Type.Object(
  {
    kind: Type.Literal('event'),
    event_type: Type.String({ maxLength: 100 }),
    conditions: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    ),
  },
  closed,
)

const ScoreDropped = Type.Object(
  {
    kind: Type.Literal('score_drop'),
    points: Type.Integer({ minimum: 1, maximum: 100 }),
    within: Duration,
  },
  closed,
)

const fields = {
  name: Name({ minLength: 1, maxLength: 200, pattern: NOT_BLANK }),
  trigger: Type.Union([BandEntered, EventHappened, ScoreDropped]),
  department: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 200,
    format: 'key',
  }),
  type: ActionTypeName,
  parameters: Parameters,
  requires_approval: Type.Boolean(),
  quiet_for: Duration,
  status: Type.Unsafe<'active' | 'inactive'>({ type: 'string', enum: ['active', 'inactive'] }),
}

const { name, trigger, type, ...optional } = fields

export const NewPolicy = Type.Object(
  { name, trigger, type, ...Type.Partial(Type.Object(optional)).properties },
  closed,
)

export const PolicyChange = Type.Partial(Type.Object(fields), { ...closed, minProperties: 1 })

export type NewPolicyInput = Type.Static<typeof NewPolicy>
export type PolicyChangeInput = Type.Static<typeof PolicyChange>
