// The catalogue of messages: what each kind means and carries, for the API document.
import Type from 'typebox'
import { BANDS } from '../../../scoring/settings.ts'
import { exampleOf, type Schema } from '../platform/openapi-schemas.ts'
import { type EventKind, type SentKind, TEST_KIND } from './event-kinds.ts'

/** The shapes that belong to slices further on: whoever puts the API together passes them in. */
export type Payloads = {
  Event: Type.TSchema
  EmployeeSummary: Type.TSchema
  Action: Type.TSchema
}

const employee = {
  employee_id: Type.String({
    description: 'Whom it is about.',
    examples: ['emp_0mm8o8c001q7xk3m2p5aw9'],
  }),
  email: Type.String({ description: 'Their primary email.', examples: ['ada@example.com'] }),
  previous_score: Type.Integer({ description: 'The score before.', examples: [82] }),
  new_score: Type.Integer({ description: 'The score after.', examples: [57] }),
}
const trigger_event = Type.String({
  description: "The event's type, or the reason where there is no event.",
  examples: ['sim.link_clicked'],
})
const band = (description: string, example: string) =>
  Type.String({ enum: [...BANDS], description, examples: [example] })

const REASONS = [
  'event',
  'decay',
  'recalculation',
  'retraction',
  'adjustment',
  'reactivation',
  'settings',
]

const ScoreUpdated = Type.Object(
  {
    ...employee,
    change: Type.Integer({ description: 'The difference.', examples: [-25] }),
    reason: Type.String({ enum: REASONS, description: 'Why it changed.', examples: ['event'] }),
    trigger_event,
  },
  { $id: 'ScoreUpdated', description: 'A change of score.' },
)

const BandChanged = Type.Object(
  {
    ...employee,
    previous_band: band('The band before.', 'green'),
    new_band: band('The band after.', 'orange'),
    trigger_event,
  },
  { $id: 'BandChanged', description: 'A move to another band.' },
)

const Test = Type.Object(
  {
    webhook_id: Type.String({
      description: 'The subscription.',
      examples: ['whk_0mm8o8c001q7xk3m2p5aw9'],
    }),
    message: Type.String({
      description: 'For people.',
      examples: ['A test message; nothing has happened.'],
    }),
  },
  { $id: 'WebhookTest', description: 'A test.' },
)

type Kind = {
  summary: string
  description: string
  data: (payloads: Payloads) => Type.TSchema
  /** Where the example of the data differs from that of its shape. */
  shows?: Schema
}

const webhookKinds: Readonly<Record<SentKind, Kind>> = {
  'score.updated': {
    summary: 'Score updated',
    description: "An employee's score changed; `reason` says why.",
    data: () => ScoreUpdated,
  },
  'score.band_changed': {
    summary: 'Band changed',
    description: 'An employee moved to a different band.',
    data: () => BandChanged,
  },
  'action.triggered': {
    summary: 'Action triggered',
    description: 'An automated action was triggered.',
    data: ({ Action }) => Action,
    shows: {
      status: 'triggered',
      outcome: '',
      finished_by: null,
      finished_at: null,
      expires_at: '2026-04-01T09:00:00.000Z',
    },
  },
  'action.completed': {
    summary: 'Action completed',
    description: 'An automated action completed.',
    data: ({ Action }) => Action,
  },
  'event.ingested': {
    summary: 'Event ingested',
    description: 'A new security event was processed.',
    data: ({ Event }) => Event,
    shows: { current_impact: -25 },
  },
  'employee.created': {
    summary: 'Employee created',
    description: 'A new employee was added.',
    data: ({ EmployeeSummary }) => EmployeeSummary,
    shows: { last_event_at: null },
  },
  'employee.deactivated': {
    summary: 'Employee deactivated',
    description: 'An employee account was deactivated.',
    data: ({ EmployeeSummary }) => EmployeeSummary,
    shows: { status: 'inactive' },
  },
  [TEST_KIND]: {
    summary: 'Test',
    description: 'Sent when somebody asks for a test, whatever the subscription has chosen.',
    data: () => Test,
  },
}

const HEADERS: Record<string, string> = {
  'X-Service-Signature':
    '`sha256=` and the lowercase hex HMAC-SHA256 of the body, keyed with the secret as shown.',
  'X-Service-Event': 'The kind of message.',
  'X-Service-Delivery': 'The id of the delivery; the same on every attempt.',
  'webhook-id': 'The id of the delivery, for Standard Webhooks.',
  'webhook-timestamp': 'When this attempt was made, in Unix seconds.',
  'webhook-signature':
    '`v1,` and the base64 signature of Standard Webhooks; two of them while the secret is rotated.',
}

const HEADER_PARAMETERS = Object.entries(HEADERS).map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}))

/** The `webhooks` part of the API document. */
export function describeMessages(payloads: Payloads): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(webhookKinds).map(([kind, { summary, description, data, shows }]) => {
      const schema = messageSchema(kind as SentKind, data(payloads))
      const whole = exampleOf(schema) as { data: object }
      const example = { ...whole, data: { ...whole.data, ...shows } }
      const content = { 'application/json': { schema, example } }
      const post = {
        operationId: nameOf(kind),
        tags: ['Webhooks'],
        summary,
        description,
        security: [],
        parameters: HEADER_PARAMETERS,
        requestBody: { required: true, content },
        responses: {
          '2XX': { description: 'Taken. Any other answer, or none within 10 s, is tried again.' },
        },
      }
      return [kind, { post }]
    }),
  )
}

function messageSchema(kind: EventKind | typeof TEST_KIND, data: Type.TSchema): Schema {
  return {
    type: 'object',
    required: ['event', 'timestamp', 'data'],
    properties: {
      event: { type: 'string', const: kind, description: 'The kind of message.' },
      timestamp: {
        type: 'string',
        format: 'date-time',
        description: 'When the change it tells of was made.',
        examples: ['2026-03-02T09:00:00.000Z'],
      },
      data,
    },
  }
}

/** `score.band_changed` becomes `sendScoreBandChanged`. */
function nameOf(kind: string): string {
  const words = kind.split(/[._]/).map(word => word[0]!.toUpperCase() + word.slice(1))
  return `send${words.join('')}`
}
