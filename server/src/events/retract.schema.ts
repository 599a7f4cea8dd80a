// Shapes of retracting one event.
import Type from 'typebox'
import { NOT_BLANK } from '../platform/say-fault.ts'
import { Instant } from '../platform/schemas.ts'
import { EVENT_EXAMPLE, Event } from './events.schema.ts'

export const Retraction = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: NOT_BLANK,
      description: 'Why it does not count; kept with the event.',
      examples: ['the click was made by the mail scanner'],
    }),
  },
  { additionalProperties: false },
)

export const RetractedEvent = Type.Object(
  {
    ...Event.properties,
    retracted_at: Instant('Since when it counts for nothing.'),
    reason: Type.String({ description: 'Why.' }),
    score_before: Type.Integer({ description: "The employee's score before." }),
    score_after: Type.Integer({ description: "The employee's score since." }),
  },
  {
    $id: 'RetractedEvent',
    description: 'The event as it stays in the log, and what its retraction did.',
    examples: [
      {
        ...EVENT_EXAMPLE,
        current_impact: 0,
        retracted_at: '2026-03-05T09:00:00.000Z',
        reason: 'the click was made by the mail scanner',
        score_before: 52,
        score_after: 75,
      },
    ],
  },
)
