// Whom a recalculation covers, in each of the ways a caller may write it. Pure.
import { invalid } from '../platform/errors.ts'
import type { RecalculationScope } from './recalculate-employees.ts'
import type { RecalculateInput } from './replays.schema.ts'

const PREFIX = 'department:'

/** The department is null for everyone; the empty name means those without a department. */
export function readScope({ scope, department }: RecalculateInput): RecalculationScope {
  if (scope === 'department' && department !== undefined) return { department }
  if (department !== undefined) {
    throw invalid([{ path: 'department', message: 'is taken only beside the scope "department"' }])
  }
  if (typeof scope === 'object') return { department: scope.department }
  if (scope === 'all') return { department: null }
  if (scope.startsWith(PREFIX)) return { department: scope.slice(PREFIX.length) }
  const message = 'must be "all" or {"department": "<name>"}'
  throw invalid([{ path: 'scope', message }])
}
