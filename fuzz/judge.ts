// What no answer may be: a fault of ours, a body outside its schema, or one that tells what is not the caller's.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parseMoment } from '../server/src/platform/dates.ts'
import type { Document, Operation, Schema } from './operations.ts'

export type FuzzAnswer = {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: string
}

export type Forbidden = { name: string; text: string }

export type Judge = (operation: Operation, answer: FuzzAnswer) => string[]

/** Words of the database, the runtime and the file system, which no caller needs. */
const INTERNALS =
  /violates|syntax error at|relation "|duplicate key|PostgresError|node_modules|\.ts:\d|\bat \S+ \(|ECONN|\$argon2|file:\/\/\/(?!x)/

/** Where a secret is shown once, because it has just been made. */
const SHOWS_SECRET =
  /^POST \/(?:v1\/webhooks|v1\/webhooks\/\{id\}\/rotate-secret|admin\/(?:keys|apps|users)\b.*|session\/.*)$/
const SECRETS = /\bwhsec_[A-Za-z0-9+/]{20,}|\bbw_live_[a-z0-9]+_\w{40,}|\bbw(?:at|rt|cs|ac)_\w{40,}/

const HEADERS = ['x-request-id', 'x-content-type-options', 'cache-control', 'referrer-policy']

export function createJudge(document: Document, forbidden: readonly Forbidden[]): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  addFormats.default(ajv as never, ['email', 'uri', 'date'])
  ajv.addFormat('date-time', { type: 'string', validate: text => parseMoment(text) !== null })
  ajv.addSchema({ $id: 'api', components: document.components })
  const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>()
  const checkOf = (schema: Schema) => {
    const known = compiled.get(schema) ?? ajv.compile(pointAt(schema))
    compiled.set(schema, known)
    return known
  }
  return (operation, answer) => [
    ...judgeStatus(operation, answer),
    ...judgeShape(operation, answer, checkOf),
    ...judgeHeaders(answer),
    ...judgeWords(operation, answer, forbidden),
  ]
}

/** References of the document, as Ajv finds them. */
function pointAt(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/'))
}

/** Refusals of a body where the operation takes none, which it therefore does not describe. */
const UNASKED: ReadonlySet<number> = new Set([413, 415])
const ERROR: Schema = { $ref: '#/components/schemas/Error' }

function judgeStatus({ answers }: Operation, { status }: FuzzAnswer): string[] {
  if (status >= 500) return [`answered ${status}`]
  if (answers && !answers.has(status) && !UNASKED.has(status))
    return [`answered ${status}, which is not documented`]
  return []
}

type Check = { (value: unknown): unknown; errors?: unknown }

function judgeShape(
  { answers }: Operation,
  { status, headers, body }: FuzzAnswer,
  checkOf: (schema: Schema) => Check,
): string[] {
  const type = String(headers['content-type'] ?? '')
  const isJson = /^application\/(?:scim\+)?json\b/.test(type)
  if (body === '') return status === 204 || !answers ? [] : ['has no body']
  if (!isJson) return answers ? [`sends ${type || 'no content type'}`] : []
  const parsed = tryParse(body)
  if (parsed === undefined) return ['the body is not JSON']
  const schema = answers?.get(status) ?? (answers && UNASKED.has(status) ? ERROR : null)
  if (!schema) return []
  const check = checkOf(schema)
  return check(parsed) ? [] : [`outside its schema: ${JSON.stringify(check.errors)}`]
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function judgeHeaders({ headers }: FuzzAnswer): string[] {
  return HEADERS.filter(name => headers[name] === undefined).map(name => `lacks ${name}`)
}

function judgeWords(
  { name }: Operation,
  { body, headers }: FuzzAnswer,
  forbidden: readonly Forbidden[],
): string[] {
  const text = `${body}\n${JSON.stringify(headers)}`
  const found = forbidden.filter(one => text.includes(one.text)).map(one => `tells ${one.name}`)
  const internal = INTERNALS.exec(text)
  if (internal) found.push(`tells of the inside: ${internal[0]}`)
  if (!SHOWS_SECRET.test(name) && SECRETS.test(text)) found.push('shows a secret')
  return found
}

/** A line of the log: JSON, no failure of ours, and nothing that must not be written down. */
export function judgeLog(line: string, forbidden: readonly Forbidden[]): string[] {
  const entry = tryParse(line) as { level?: number; msg?: string } | undefined
  if (entry === undefined) return ['the log has a line that is not JSON']
  const found = forbidden.filter(one => line.includes(one.text)).map(one => `logs ${one.name}`)
  if ((entry.level ?? 0) >= 50) found.push(`logs a failure: ${line.slice(0, 600)}`)
  if (SECRETS.test(line)) found.push('logs a secret')
  return found
}
