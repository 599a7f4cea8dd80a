// SQL out of tagged templates, taken apart into the queries it consists of. Text only; no database is asked.
import { readSource, type Source, type Template } from './source-text.ts'

export type Statement = {
  readonly file: string
  readonly at: number
  /** The function it stands in. */
  readonly within: string
  /** Values stand as ⟨name⟩, or ⟨…⟩ where they are not a plain name; comments and strings are emptied. */
  readonly sql: string
}

/** One query without those nested in it; a bracket holds a number that leads to its content. */
export type Query = { readonly text: string; readonly groups: readonly string[] }

const OTHER_TAGS = new Set(['', 'html'])

export function listStatements(file: string, text: string): Statement[] {
  const source = readSource(text)
  return source.templates
    .filter(template => !OTHER_TAGS.has(template.tag))
    .map(template => ({
      file,
      at: template.at,
      within: functionAround(source, template.at),
      sql: tidySql(flatten(template)),
    }))
}

/** Fragments inside an expression are read as if they stood in the statement, all of them. */
function flatten({ strings, expressions }: Template): string {
  return strings
    .map((string, i) => {
      const expression = expressions[i]
      if (!expression) return string
      const fragments = expression.templates.filter(inner => !OTHER_TAGS.has(inner.tag))
      if (fragments.length > 0) return string + fragments.map(flatten).join(' ')
      const name = expression.text.trim()
      return `${string}⟨${/^[\w.]+$/.test(name) ? name : '…'}⟩`
    })
    .join('')
}

export function tidySql(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\/\*[\s\S]*?\*\//g, ' ')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
}

function functionAround({ code }: Source, at: number): string {
  const before = [
    ...code.slice(0, at).matchAll(/\bfunction\s+(\w+)|\bconst\s+(\w+)\s*=\s*(?:async\s*)?\(/g),
  ]
  const last = before.at(-1)
  return last?.[1] ?? last?.[2] ?? ''
}

const QUERY = /^[\s(]*(?:SELECT|WITH|INSERT|UPDATE|DELETE|VALUES)\b/i

/** Every query of a statement: the outer one, its subqueries, its common table expressions, its unions. */
export function splitQueries(sql: string): Query[] {
  const found: Query[] = []
  const groups: string[] = []
  const outer = takeGroups(sql, groups, found)
  const parts = outer.split(/\b(?:UNION|EXCEPT|INTERSECT)\b(?:\s+ALL\b)?/i)
  return [...parts.map(text => ({ text, groups })), ...found]
}

/** Replaces each bracket by its number; a query in one is set aside, anything else is kept as a group. */
function takeGroups(sql: string, groups: string[], found: Query[]): string {
  let out = ''
  for (let i = 0; i < sql.length; i++) {
    if (sql[i] !== '(') {
      out += sql[i]
      continue
    }
    const end = closingBracket(sql, i)
    const inner = sql.slice(i + 1, end)
    const place = groups.push('') - 1
    if (QUERY.test(inner)) found.push(...splitQueries(inner))
    else groups[place] = takeGroups(inner, groups, found)
    out += `(#${place})`
    i = end
  }
  return out
}

function closingBracket(sql: string, open: number): number {
  let depth = 0
  for (let i = open; i < sql.length; i++) {
    if (sql[i] === '(') depth++
    if (sql[i] === ')') depth--
    if (depth === 0) return i
  }
  return sql.length
}

/** The names under which a statement defines common table expressions. */
export function commonTables(queries: readonly Query[]): Set<string> {
  const pattern = /(\w+)\s*(?:\(#\d+\)\s*)?AS\s+(?:(?:NOT\s+)?MATERIALIZED\s+)?\(#\d+\)/gi
  const named = queries.filter(({ text }) => /^\s*WITH\b/i.test(text))
  return new Set(named.flatMap(({ text }) => [...text.matchAll(pattern)].map(match => match[1]!)))
}
