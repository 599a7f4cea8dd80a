// The shapes of rules: what is read, created and changed.
import Type from 'typebox'
import { CATEGORIES, type Category } from '../../../scoring/rules.ts'
import { formTold } from '../platform/openapi-schemas.ts'
import { PageQuery, Pagination } from '../platform/pagination.ts'
import { IdParams, Instant, Name, oneOf } from '../platform/schemas.ts'

const STATUSES = ['active', 'inactive'] as const

const ruleFields = {
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'What people call the rule.',
    examples: ['Simulated phishing link clicked'],
  }),
  event_type: formTold(
    Type.String({
      maxLength: 100,
      description:
        'The type of event it applies to; an ending in `.*` covers all types below (`sim.*`). ' +
        'Rules for custom events begin with `custom.`; no rule may touch `manual.*`.',
      examples: ['sim.link_clicked'],
    }),
    { pattern: '^(?:[A-Za-z0-9_-]+\\.)+(?:[A-Za-z0-9_-]+|\\*)$' },
  ),
  category: Type.Unsafe<Category>({
    type: 'string',
    enum: [...CATEGORIES],
    description: '`custom` for an event_type that begins with `custom.`, and for no other.',
    examples: ['email'],
  }),
  impact: Type.Integer({
    minimum: -100,
    maximum: 100,
    description: 'Change of the score; negative lowers it, positive raises it.',
    examples: [-25],
  }),
}

const optionalFields = {
  cooldown: formTold(
    Type.String({
      maxLength: 20,
      description:
        'How long the rule rests for an employee after it has fired: a whole number and one of ' +
        '`s m h d w`, at most `365d`; `0h` for none.',
      examples: ['24h'],
    }),
    { pattern: '^[0-9]{1,8}[smhdw]$' },
  ),
  conditions: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description:
      'What must hold of the event. A key is a dotted path into `details`, or `source` or `type`. A ' +
      'scalar means equality, an array any of its members, an object operators that must all hold: ' +
      '`eq ne gt gte lt lte in not_in contains starts_with exists`. At most 20 keys of 200 characters, 100 members ' +
      'of an array and 1,000 characters of a text; those of all rules together take at most 4 MiB.',
    examples: [{ severity: ['high', 'critical'], 'metadata.attempts': { gte: 3 } }],
  }),
  priority: Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: 'Rules of higher priority are taken first.',
    examples: [200],
  }),
  exclusive: Type.Boolean({
    description: 'Whether it stops the rules after it when it fires.',
    examples: [false],
  }),
}

const status = oneOf(STATUSES, 'Inactive rules never fire.')

export const Rule = Type.Object(
  {
    id: Type.String({ description: 'Names the rule.', examples: ['rule_0mm8o8c001q7xk3m2p5aw9'] }),
    ...ruleFields,
    ...optionalFields,
    is_default: Type.Boolean({
      description: 'Default rules cannot be deleted, only deactivated.',
      examples: [false],
    }),
    status,
    created_at: Instant('When it was created.'),
  },
  { $id: 'Rule', description: 'Says which events change a score, and by how much.' },
)

export const RuleList = Type.Object(
  { data: Type.Array(Rule, { description: 'The page.' }), pagination: Pagination },
  { $id: 'RuleList', description: 'A page of rules in their order of evaluation.' },
)

const { cooldown, conditions, priority, exclusive } = optionalFields
const name = Name(ruleFields.name)

export const NewRule = Type.Object(
  {
    ...ruleFields,
    name,
    cooldown: Type.Optional(Type.String({ ...cooldown, default: '0h' })),
    conditions: Type.Optional(conditions),
    priority: Type.Optional(Type.Integer({ ...priority, default: 100 })),
    exclusive: Type.Optional(Type.Boolean({ ...exclusive, default: false })),
  },
  { additionalProperties: false, description: 'A rule to create; it is active at once.' },
)

export const RuleChange = Type.Object(
  {
    name: Type.Optional(name),
    event_type: Type.Optional(ruleFields.event_type),
    category: Type.Optional(ruleFields.category),
    impact: Type.Optional(ruleFields.impact),
    cooldown: Type.Optional(cooldown),
    conditions: Type.Optional(conditions),
    priority: Type.Optional(priority),
    exclusive: Type.Optional(exclusive),
    status: Type.Optional(status),
  },
  {
    additionalProperties: false,
    description: 'The fields to change; those not given stay.',
    examples: [{ impact: -30, cooldown: '48h' }],
  },
)

export const RuleQuery = Type.Object(
  {
    category: Type.Optional(
      Type.Unsafe<Category>({
        type: 'string',
        enum: [...CATEGORIES],
        description: 'Only rules of this category.',
      }),
    ),
    status: Type.Optional(
      Type.Unsafe<'active' | 'inactive'>({
        type: 'string',
        enum: [...STATUSES],
        description: 'Only rules of this status.',
      }),
    ),
    ...PageQuery,
  },
  { additionalProperties: false },
)

export const RuleParams = IdParams('rule', 'rule_0mm8o8c001q7xk3m2p5aw9')

export type NewRuleInput = Type.Static<typeof NewRule>
export type RuleChangeInput = Type.Static<typeof RuleChange>
