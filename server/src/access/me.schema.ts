// The shape of GET /v1/me.
import Type from 'typebox'

export const Me = Type.Object(
  {
    tenant: Type.Object(
      {
        id: Type.String({ description: 'Names the tenant: ten_…' }),
        name: Type.String({ description: 'What people call it.' }),
      },
      { description: 'The tenant the credential belongs to.' },
    ),
    plan: Type.String({
      enum: ['starter', 'professional', 'enterprise'],
      description: 'What the tenant has subscribed to.',
    }),
    actor: Type.Object(
      {
        kind: Type.String({ description: 'key, app or user.' }),
        id: Type.String({ description: 'Names the key, the app or the user.' }),
      },
      { description: 'Under which name changes by this credential are recorded.' },
    ),
    scopes: Type.Array(Type.String(), { description: 'What the credential may do.' }),
    limits: Type.Object(
      {
        requests: Type.Integer({ description: 'Requests per minute.' }),
        burst: Type.Integer({ description: 'Requests served at once after a pause.' }),
        scores: Type.Integer({ description: 'Requests per minute on the score views.' }),
        inbound: Type.Integer({ description: 'Events per minute through the inbound webhook.' }),
        outbound: Type.Integer({ description: 'Webhook deliveries per minute.' }),
        recalculations: Type.Integer({ description: 'Recalculations in a window.' }),
        recalculation_window_hours: Type.Number({ description: 'Length of that window.' }),
      },
      { description: 'What the plan allows.' },
    ),
  },
  {
    $id: 'Me',
    description: 'The caller: tenant, plan, scopes and limits.',
    examples: [
      {
        tenant: { id: 'ten_0mm8o8c001q7xk3m2p5aw9', name: 'Acme' },
        plan: 'professional',
        actor: { kind: 'key', id: 'key_0mm8o8c001q7xk3m2p5awa' },
        scopes: ['employees:read', 'scores:read'],
        limits: {
          requests: 300,
          burst: 500,
          scores: 100,
          inbound: 100,
          outbound: 1000,
          recalculations: 1,
          recalculation_window_hours: 1,
        },
      },
    ],
  },
)
