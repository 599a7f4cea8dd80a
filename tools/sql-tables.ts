// Which tables a query touches and under which names, and which of them it binds to one tenant.
import type { Query } from './sql-text.ts'

export type Table = { readonly name: string; readonly alias: string }

const END =
  /\b(?:WHERE|GROUP\s+BY|ORDER\s+BY|HAVING|LIMIT|OFFSET|WINDOW|RETURNING|FOR\s+(?:NO\s+KEY\s+)?UPDATE|FOR\s+(?:KEY\s+)?SHARE|ON\s+CONFLICT)\b/i
const NOT_AN_ALIAS =
  '(?!(?:ON|USING|JOIN|LEFT|RIGHT|INNER|FULL|CROSS|NATURAL|WHERE|SET|AS|TABLESAMPLE|RETURNING|DEFAULT|VALUES|SELECT)\\b)'
const NAME = '(?:[a-z_][a-z0-9_]*|⟨[^⟩]*⟩)'
const AS = `(?:\\s+(?:AS\\s+)?${NOT_AN_ALIAS}([a-z_][a-z0-9_]*))?`

const TARGET = new RegExp(
  `^\\s*(?:INSERT\\s+INTO|UPDATE(?:\\s+ONLY)?|DELETE\\s+FROM)\\s+(${NAME})${AS}([\\s\\S]*)$`,
  'i',
)
const REFERENCE = new RegExp(`^\\s*(?:LATERAL\\s+)?(${NAME})(?!\\s*\\(#)(?![\\w.])${AS}`, 'i')

/** The text of a query without the WITH before it. */
export function mainPart({ text }: Query): string {
  if (!/^\s*WITH\b/i.test(text)) return text
  const verb = /\)\s*(?=(?:SELECT|INSERT|UPDATE|DELETE|VALUES)\b)/i.exec(text)
  return verb ? text.slice(verb.index + verb[0].length) : text
}

export function verbOf(query: Query): string {
  return /^\s*([A-Za-z]+)/.exec(mainPart(query))?.[1]?.toUpperCase() ?? ''
}

/** What is written to, if anything. */
export function targetOf(query: Query): Table | null {
  const match = TARGET.exec(mainPart(query))
  return match ? { name: match[1]!, alias: match[2] ?? match[1]! } : null
}

/** Every table of the query, the target first; what the list of functions or CTEs gives is no table. */
export function tablesOf(query: Query, common: ReadonlySet<string>): Table[] {
  const target = targetOf(query)
  const text = mainPart(query)
  const rest = target ? TARGET.exec(text)![3]! : text
  const read = sourcesOf(rest, verbOf(query)).filter(({ name }) => !common.has(name))
  return target ? [target, ...read] : read
}

function sourcesOf(text: string, verb: string): Table[] {
  const opening = verb === 'DELETE' ? /\bUSING\b/i : /(?<!\bDISTINCT\s+)\bFROM\b/i
  const start = opening.exec(text)
  if (!start) return []
  const after = text.slice(start.index + start[0].length)
  const clause = after.slice(0, END.exec(after)?.index ?? after.length)
  return clause.split(/,|\bJOIN\b/i).flatMap(part => {
    const match = REFERENCE.exec(part)
    return match ? [{ name: match[1]!, alias: match[2] ?? match[1]! }] : []
  })
}

/** A value that names the tenant the caller acts for. */
const TENANT = '⟨(?:[\\w.]*\\.)?(?:tenant_id|RESERVED_TENANT)⟩(?:::text)?'
const BOUND = new RegExp(
  `(?:\\b(\\w+)\\.)?\\btenant_id\\s*=\\s*${TENANT}|${TENANT}\\s*=\\s*(?:(\\w+)\\.)?tenant_id\\b`,
  'gi',
)
const JOINED = /\b(\w+)\.tenant_id\s*=\s*(\w+)\.tenant_id\b/gi

export const isTenantValue = (text: string) => new RegExp(`^\\s*${TENANT}\\s*$`).test(text)

/** The names of the tables that the query binds to the tenant, directly or by a join in the same query. */
export function boundNames(query: Query, tables: readonly Table[]): Set<string> {
  const whole = mainPart(query)
  const start = whole.search(/\bWHERE\b|\bON\b(?!\s+CONFLICT)/i)
  const text = start < 0 ? '' : whole.slice(start)
  const only = tables.length === 1 ? tables[0]!.alias : ''
  const bound = new Set([...text.matchAll(BOUND)].map(match => match[1] ?? match[2] ?? only))
  const pairs = [...text.matchAll(JOINED)].map(match => [match[1]!, match[2]!] as const)
  for (let grew = true; grew; ) {
    const before = bound.size
    for (const [a, b] of pairs) {
      if (bound.has(a)) bound.add(b)
      if (bound.has(b)) bound.add(a)
    }
    grew = bound.size > before
  }
  return bound
}
