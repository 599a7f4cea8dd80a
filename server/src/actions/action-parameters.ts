// What an action may be told: checked when a policy is written and when somebody asks for an action.
import type { Fault } from '../platform/errors.ts'
import { isStoredLarger } from '../platform/stored-size.ts'
import type { ActionType } from './action-types.ts'

const MAX_BYTES = 4096
const MAX_DEPTH = 4
const MAX_COURSE_LENGTH = 200

export function parameterFaults(type: ActionType, parameters: Record<string, unknown>): Fault[] {
  if (isStoredLarger(parameters, MAX_BYTES) || isDeep(parameters, MAX_DEPTH)) {
    const message = `must not be larger than ${MAX_BYTES} bytes or nested deeper than ${MAX_DEPTH} levels`
    return [{ path: 'parameters', message }]
  }
  if (type !== 'assign_training') return []
  const { course } = parameters
  if (typeof course === 'string' && course.trim() !== '' && course.length <= MAX_COURSE_LENGTH) {
    return []
  }
  const message = `must name the course to assign, in 1 to ${MAX_COURSE_LENGTH} characters`
  return [{ path: 'parameters.course', message }]
}

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => isDeep(inner, levels - 1))
}
