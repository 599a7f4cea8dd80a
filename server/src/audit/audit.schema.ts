// Shapes of the audit log.
import Type, { type Static } from 'typebox'
import { PageQuery, Pagination } from '../platform/pagination.ts'
import { Instant, WindowQuery } from '../platform/schemas.ts'
import { SortQuery } from '../platform/sorting.ts'

const filter = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: 200, description, examples: [example] }))

const AUDIT_SORTS = ['at', 'action', 'actor_id', 'subject_id'] as const

export const AuditQuery = Type.Object(
  {
    ...PageQuery,
    ...SortQuery(AUDIT_SORTS),
    actor_id: filter('Only what this actor did.', 'key_0mm9xk2ce12c3d4e5f6g7h'),
    action: filter('Only this action.', 'rule.created'),
    subject_id: filter('Only what was done to this object.', 'rule_0mm9xk2ce12c3d4e5f6g7h'),
    ...WindowQuery,
  },
  { additionalProperties: false },
)
export type AuditQueryInput = Static<typeof AuditQuery>

export const AuditParams = Type.Object({
  seq: Type.String({
    maxLength: 1000,
    description: "The entry's place in the chain.",
    examples: ['7'],
  }),
})

const Any = (description: string) => Type.Unsafe<unknown>({ description })

export const AuditEntry = Type.Object(
  {
    seq: Type.Integer({ description: 'Place in the chain, from 1.' }),
    at: Instant('When it was done.'),
    actor: Type.Object(
      {
        kind: Type.String({ description: 'key, user, app, engine or operator.' }),
        id: Type.String(),
      },
      { description: 'Who did it.' },
    ),
    action: Type.String({ description: 'A dotted verb.' }),
    subject: Type.Object(
      { kind: Type.String({ description: 'What kind of object.' }), id: Type.String() },
      { description: 'What it was done to.' },
    ),
    employee_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Whom the values are about, where it is one employee; an erasure takes them.',
    }),
    request_id: Type.String({
      description: 'The request that did it; empty for a command and the engine.',
    }),
    address: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'From where.' }),
    before: Any('The values before, where there were any.'),
    after: Any('The values after, where there are any.'),
    truncated: Type.Boolean({
      description:
        'The values are longer than 4 KB and left out of the list; `GET /v1/audit/{seq}` has them.',
    }),
    erased: Type.Boolean({
      description: 'The personal values were erased; the entry itself stays.',
    }),
    hash: Type.String({ description: 'Covers this entry and the one before it.' }),
  },
  {
    $id: 'AuditEntry',
    description: 'One change: who, what, when, from where.',
    examples: [
      {
        seq: 7,
        at: '2026-03-02T09:00:00.000Z',
        actor: { kind: 'key', id: 'key_0mm9xk2ce12c3d4e5f6g7h' },
        action: 'rule.updated',
        subject: { kind: 'rule', id: 'rule_0mm9xk2ce12c3d4e5f6g7h' },
        employee_id: null,
        request_id: 'req_0mm9xk2ce12c3d4e5f6g7h',
        address: '192.0.2.7',
        before: { impact: -10 },
        after: { impact: -15 },
        truncated: false,
        erased: false,
        hash: '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4',
      },
    ],
  },
)

export const AuditList = Type.Object(
  { data: Type.Array(AuditEntry), pagination: Pagination },
  { $id: 'AuditList', description: 'A page of the audit log.' },
)
