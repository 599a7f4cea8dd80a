// Options declared as data: every command is parsed, checked and explained in the same way.
import { parseArgs } from 'node:util'
import { nameFault } from '../platform/unseen-marks.ts'

export type Option = {
  readonly about: string
  /** What the help shows in the place of the value; a switch has none. */
  readonly value?: string
  readonly required?: true
  /** May be given several times. */
  readonly many?: true
}
export type Options = Readonly<Record<string, Option>>

export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { many: true }
    ? readonly string[]
    : O[K] extends { value: string }
      ? O[K] extends { required: true }
        ? string
        : string | undefined
      : boolean | undefined
}

/** What is named without an option, such as a file; it must be given. */
export type Operand = { readonly value: string; readonly about: string }

export type Command = {
  readonly name: string
  readonly about: string
  readonly options: Options
  readonly operand?: Operand | undefined
  run(args: readonly string[]): Promise<void>
}

/** A fault the operator can put right: shown as one line, without a stack. */
export class CommandError extends Error {}

/** A command whose options are known to the compiler. */
export function defineCommand<const O extends Options>(definition: {
  name: string
  about: string
  options: O
  operand?: Operand
  run(values: Values<O>, operand: string): Promise<void>
}): Command {
  const { name, about, options, operand, run } = definition
  return {
    name,
    about,
    options,
    operand,
    run: args => {
      const { values, positionals } = parse(name, options, operand, args)
      return run(checkValues(name, options, values), positionals[0] ?? '')
    },
  }
}

function checkValues<O extends Options>(name: string, options: O, given: object) {
  const missing = Object.keys(options).filter(
    key => options[key]?.required && !(given as Record<string, unknown>)[key],
  )
  if (missing.length > 0) {
    const names = missing.map(key => `--${key}`).join(', ')
    throw new CommandError(`${name}: ${names} must be given (see ${name} --help)`)
  }
  return given as Values<O>
}

function parse(
  name: string,
  options: Options,
  operand: Operand | undefined,
  args: readonly string[],
) {
  const kinds = Object.entries(options).map(([key, option]) => {
    const type = option.value ? ('string' as const) : ('boolean' as const)
    return [key, { type, multiple: option.many ?? false }] as const
  })
  try {
    // `--no-x` turns a switch off again, so the later of two wins.
    const config = { args: [...args], options: Object.fromEntries(kinds), allowNegative: true }
    const parsed = parseArgs({ ...config, strict: true, allowPositionals: operand !== undefined })
    const [first, ...more] = parsed.positionals
    // What a shell makes of a variable that is not set is no name.
    if (!operand || (first && more.length === 0)) return parsed
    throw new Error(`one ${operand.value} must be given`)
  } catch (error) {
    const [message = ''] = (error as Error).message.split(/\.\s|\n/)
    throw new CommandError(`${name}: ${sayMissing(message) ?? message} (see ${name} --help)`)
  }
}

/** Node calls it ambiguous whether the value was forgotten or begins with a dash. */
function sayMissing(message: string): string | null {
  const option = /^Option '(--\S+)' argument is ambiguous/.exec(message)?.[1]
  if (!option) return null
  return `${option} must be followed by its value; one that begins with a dash is written ${option}=-…`
}

/** A whole number of an option, at least 1. */
export function readPositive(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new CommandError(`--${option} must be a whole number from 1 to 999999999, not "${text}"`)
}

export function readOneOf<T extends string>(option: string, text: string, among: readonly T[]): T {
  const found = among.find(one => one === text)
  if (found !== undefined) return found
  throw new CommandError(`--${option} must be one of ${among.join(', ')}, not "${text}"`)
}

/** Text a person will read again: one line of printable characters. */
export function readText(option: string, text: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > 200 || /\p{Cc}|\p{Cs}/u.test(trimmed)) {
    throw new CommandError(`--${option} must be one line of 1 to 200 characters`)
  }
  const fault = nameFault(trimmed)
  if (fault === null) return trimmed
  throw new CommandError(`--${option} ${fault}`)
}

export function explain(command: Command): string {
  const entries = Object.entries(command.options)
  const usage = entries.map(([key, option]) =>
    option.required ? show(key, option) : `[${show(key, option)}]`,
  )
  const { operand } = command
  if (operand) usage.unshift(operand.value)
  const rows = entries.map(([key, option]) => [show(key, option), option.about] as const)
  if (operand) rows.unshift([operand.value, operand.about])
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  const lines = rows.map(([left, about]) => `  ${left.padEnd(width)}  ${about}`)
  return [`bellwether ${[command.name, ...usage].join(' ')}`, '', command.about, '', ...lines]
    .join('\n')
    .trimEnd()
}

function show(key: string, option: Option): string {
  return option.value ? `--${key} <${option.value}>` : `--${key}`
}
