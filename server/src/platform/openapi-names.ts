// Names of operations, made from method and path, so that they stay as they are and read as a verb and a noun.
import type { Schema } from './openapi-schemas.ts'

const VERBS: Record<string, string> = { PATCH: 'update', PUT: 'put', DELETE: 'delete' }

/** `GET /v1/employees/:id/events` is `listEmployeeEvents`. */
export function operationName(
  method: string,
  url: string,
  answers: Record<string, Schema>,
): string {
  const segments = url.split('/').filter(part => part !== '' && part !== 'v1')
  const words = segments.map((segment, i) => wordOf(segment, segments[i - 1], segments[i + 1]))
  const creates = method === 'POST' && '201' in answers && segments.length === 1
  if (creates) return `create${singular(words.join(''))}`
  return verbOf(method, answers) + words.join('')
}

function verbOf(method: string, answers: Record<string, Schema>): string {
  if (method !== 'GET') return VERBS[method] ?? method.toLowerCase()
  const properties = (answers['200']?.properties ?? {}) as Record<string, unknown>
  return 'pagination' in properties ? 'list' : 'get'
}

function wordOf(segment: string, before: string | undefined, after: string | undefined): string {
  if (!segment.startsWith(':')) return after === ':id' ? singular(pascal(segment)) : pascal(segment)
  const isTold = segment === ':id' || before?.startsWith('by-')
  return isTold ? '' : `By${pascal(segment.slice(1))}`
}

function pascal(text: string): string {
  const parts = text.split(/[^A-Za-z0-9]+/).filter(part => part !== '')
  return parts.map(part => part[0]!.toUpperCase() + part.slice(1)).join('')
}

function singular(text: string): string {
  return text.endsWith('ies') ? `${text.slice(0, -3)}y` : text.replace(/s$/, '')
}
