// The shape of GET /v1/me.
import Type from 'typebox'

export const Me = Type.Object(
  {
    tenant: Type.Object({
      id: Type.String({ description: 'The tenant the credential belongs to.' }),
      name: Type.String(),
    }),
    plan: Type.String({ enum: ['starter', 'professional', 'enterprise'] }),
    actor: Type.Object({
      kind: Type.String({ description: 'key, app or user.' }),
      id: Type.String(),
    }),
    scopes: Type.Array(Type.String(), { description: 'What the credential may do.' }),
    limits: Type.Object({
      requests: Type.Integer({ description: 'Requests per minute.' }),
      burst: Type.Integer({ description: 'Requests served at once after a pause.' }),
      scores: Type.Integer({ description: 'Requests per minute on the score views.' }),
      inbound: Type.Integer({ description: 'Events per minute through the inbound webhook.' }),
      outbound: Type.Integer({ description: 'Webhook deliveries per minute.' }),
      recalculations: Type.Integer({ description: 'Recalculations in a window.' }),
      recalculation_window_hours: Type.Number({ description: 'Length of that window.' }),
    }),
  },
  { $id: 'Me', description: 'The caller: tenant, plan, scopes and limits.' },
)
