// Checks one event of a batch by the same schema as POST /v1/events, so that a bad one fails alone.
import type { Fault } from '../platform/errors.ts'
import { compileBodyCheck } from '../platform/validation.ts'
import { NewEvent } from './new-events.schema.ts'

export const checkNewEvent: (event: unknown) => Fault[] = compileBodyCheck(NewEvent)
