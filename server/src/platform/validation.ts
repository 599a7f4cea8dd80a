// Two validators: bodies are taken as they are, query strings and paths arrive as text and are read as numbers.
import Ajv, { type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { FastifyValidationResult } from 'fastify/types/schema.js'
import { parseMoment, sayNoMoment } from './dates.ts'
import { type Fault, MOST_FAULTS } from './errors.ts'
import { sayFault } from './say-fault.ts'
import { keyFault, nameFault } from './unseen-marks.ts'

const OPTIONS = {
  removeAdditional: false,
  useDefaults: true,
  strict: false,
  // Our schemas are judged by the tests of the API document; judging them here too would delay every start.
  validateSchema: false,
  meta: false,
  // A fault comes with the value it is about.
  verbose: true,
} as const

/** What is wrong with a text of a form that no pattern tells, or null. */
const FORMS: Record<string, (text: string) => string | null> = {
  'date-time': text => (parseMoment(text) === null ? sayNoMoment(text) : null),
  name: nameFault,
  key: keyFault,
}

function build(coerceTypes: boolean, allErrors: boolean): Ajv.default {
  const ajv = new Ajv.default({ ...OPTIONS, coerceTypes, allErrors })
  addFormats.default(ajv, ['email', 'uri'])
  for (const [form, fault] of Object.entries(FORMS)) {
    ajv.addFormat(form, { type: 'string', validate: text => fault(text) === null })
  }
  return ajv
}

const bodies = build(false, false)
const badBodies = build(false, true)
const texts = build(true, true)

type Check = ((values: never) => unknown) & { errors?: ErrorObject[] | null | undefined }

export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  compileLater(() =>
    httpPart === 'body' ? compileBody(schema) : compileTexts(schema),
  ) as FastifyValidationResult

/** Compiled when first needed: the schemas of every route at once would delay each start. */
function compileLater(compile: () => Check): Check {
  let check: Check | undefined
  const validate: Check = values => {
    check ??= compile()
    const isRight = check(values)
    validate.errors = check.errors
    return isRight
  }
  return validate
}

/** In a body with more keys and items than this, only the first fault is looked for. */
const MOST_PARTS = 500

/** A good body is judged once; of a bad one every fault is told, or only the first if it has too many parts. */
function compileBody(schema: object): Check {
  const first = bodies.compile(schema) as Check
  const all = compileLater(() => badBodies.compile(schema))
  const validate: Check = values => {
    if (first(values)) return true
    const check = countParts(values, MOST_PARTS) < MOST_PARTS ? all : first
    check(values)
    validate.errors = check.errors
    return false
  }
  return validate
}

/** Keys and items at any depth, and thousands of characters, counted no further than told. */
function countParts(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length / 1000
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value)
  let count = inner.length
  for (const one of inner) {
    if (count >= most) return count
    count += countParts(one, most - count)
  }
  return count
}

const WHOLE_NUMBER = /^-?\d+$/

function compileTexts(schema: object) {
  const check = texts.compile(schema)
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  const known = Object.entries(properties)
  const validate = (values: Record<string, unknown>): boolean => {
    const odd = known.flatMap(([name, { type }]) => findOdd(name, values[name], type))
    const isRight = odd.length === 0 && check(values)
    validate.errors = odd.length === 0 ? check.errors : odd
    return isRight
  }
  validate.errors = null as ErrorObject[] | null | undefined
  return validate
}

/** No parameter is a list, and coercion would read `1e2`, `0x10` and ` 7` as numbers too. */
function findOdd(name: string, value: unknown, type: unknown): ErrorObject[] {
  if (Array.isArray(value)) return [fault(name, 'must be given only once')]
  const isText = type === 'integer' && typeof value === 'string' && !WHOLE_NUMBER.test(value)
  return isText ? [fault(name, 'must be integer')] : []
}

function fault(name: string, message: string): ErrorObject {
  return { instancePath: `/${name}`, keyword: 'type', schemaPath: '', params: {}, message }
}

/** The faults of a validation, in words a caller can act on. */
export function readFaults(errors: readonly ErrorObject[], part: string): Fault[] {
  const told = tellChoices(tellOwnForm(errors.filter(error => error.keyword !== 'if')))
  return told.slice(0, MOST_FAULTS).map(error => describe(error, part))
}

/** Of a value with a choice of forms only the faults of the form it has are told, not that it has no other. */
function tellOwnForm(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(error => error.keyword === 'anyOf')
  return choices.reduce(
    (left, choice) => {
      const within = left.filter(
        error =>
          error.schemaPath.startsWith(`${choice.schemaPath}/`) &&
          error.instancePath.startsWith(choice.instancePath),
      )
      const otherForms = within.filter(
        error => error.keyword === 'type' && error.instancePath === choice.instancePath,
      )
      const forms = [...new Set(otherForms.map(error => error.params.type as string))]
      const isOne = within.length > otherForms.length
      const told = isOne ? [] : [{ ...choice, message: `must be ${forms.join(' or ')}` }]
      const gone = new Set([choice, ...otherForms])
      return [...left.filter(error => !gone.has(error)), ...told]
    },
    [...errors],
  )
}

/** Of a value that must be one of some it is said which they are, not also of what type. */
function tellChoices(errors: readonly ErrorObject[]): ErrorObject[] {
  const chosen = new Set(
    errors.flatMap(({ keyword, instancePath }) => (keyword === 'enum' ? [instancePath] : [])),
  )
  return errors.filter(
    ({ keyword, instancePath }) => keyword !== 'type' || !chosen.has(instancePath),
  )
}

function describe(error: ErrorObject, part: string): Fault {
  const at = error.instancePath.slice(1).replaceAll('/', '.')
  if (error.keyword === 'additionalProperties') {
    const name = error.params.additionalProperty as string
    const what = part === 'querystring' ? 'is not a known query parameter' : 'is not a known field'
    return { path: at ? `${at}.${name}` : name, message: what }
  }
  if (error.keyword === 'required') {
    const name = error.params.missingProperty as string
    return { path: at ? `${at}.${name}` : name, message: 'is required' }
  }
  const form = error.keyword === 'format' ? FORMS[error.params.format] : undefined
  return { path: at || part, message: form?.(error.data as string) ?? sayFault(error) }
}

/** A check of one value by a body schema, for parts of a body that are judged one by one. */
export function compileBodyCheck(schema: object): (value: unknown) => Fault[] {
  const check = compileLater(() => compileBody(schema))
  return value => (check(value as never) ? [] : readFaults(check.errors ?? [], 'event'))
}
