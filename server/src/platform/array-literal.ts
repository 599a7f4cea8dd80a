// Writes array parameters as PostgreSQL's literals, in one pass.
import { isoOf } from './clock.ts'

const QUOTED = /["\\]/
const QUOTES = /["\\]/g

export function arrayLiteral(values: readonly unknown[]): string {
  let text = '{'
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (i > 0) text += ','
    if (value === null) text += 'NULL'
    else if (typeof value === 'string') text += quote(value)
    else if (typeof value === 'number' || typeof value === 'bigint') text += value
    else if (typeof value === 'boolean') text += value ? 't' : 'f'
    else if (value instanceof Date) text += isoOf(value.getTime())
    else if (value instanceof Uint8Array) text += `"\\\\x${Buffer.from(value).toString('hex')}"`
    else if (Array.isArray(value)) text += arrayLiteral(value)
    else throw new TypeError(`a list of SQL holds no ${typeof value}`)
  }
  return `${text}}`
}

function quote(value: string): string {
  return QUOTED.test(value) ? `"${value.replace(QUOTES, '\\$&')}"` : `"${value}"`
}
