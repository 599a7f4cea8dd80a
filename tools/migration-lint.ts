// The rules for migrations: tenant_id leads every key, names are given, nothing a cluster could not hold. Pure.
import { lineOf } from './source-text.ts'
import { tidySql } from './sql-text.ts'
import type { Violation } from './tidy.ts'

type Found = { at: number; rule: string; message: string }

const LONGEST_NAME = 50

const FORBIDDEN: readonly [rule: string, pattern: RegExp, message: string][] = [
  ['no-trigger', /\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:CONSTRAINT\s+)?TRIGGER\b/gi, 'no triggers'],
  [
    'no-sequence',
    /\bCREATE\s+SEQUENCE\b|\b(?:small|big)?serial\b|\bAS\s+IDENTITY\b|\bnextval\s*\(/gi,
    'ids are made in code',
  ],
  ['no-merge', /\bMERGE\s+INTO\b/gi, 'no MERGE'],
  ['no-unlogged', /\bUNLOGGED\b|\bTEMP(?:ORARY)?\s+TABLE\b/gi, 'every table is logged'],
  ['no-set-null', /\bON\s+DELETE\s+SET\s+(?:NULL|DEFAULT)\b/gi, 'tenant_id cannot become null'],
  [
    'time-is-a-parameter',
    /\b(?:now|clock_timestamp|random|gen_random_uuid)\s*\(|\bcurrent_timestamp\b/gi,
    'no defaults that ask the clock or chance',
  ],
]

/** What takes something away although a release before might read it: no such release was ever given out. */
const BEFORE_ANY_RELEASE = new Set([32])

/** The last migration of the first release; from the next one on, two releases run on one database. */
const FIRST_RELEASE = 7
const BREAKING: readonly [pattern: RegExp, message: string][] = [
  [/\bDROP\s+(?:TABLE|COLUMN|VIEW)\b/gi, 'the release before still reads it'],
  [/\bRENAME\s+(?:TO|COLUMN|CONSTRAINT)\b/gi, 'the release before knows the old name'],
  [/\bALTER\s+COLUMN\s+\w+\s+(?:SET\s+DATA\s+)?TYPE\b/gi, 'it rewrites the table under its users'],
  [/\bSET\s+NOT\s+NULL\b/gi, 'the release before may still write null'],
  [
    /\bADD\s+COLUMN\s+(?:IF\s+NOT\s+EXISTS\s+)?\w+\s+(?:(?!\bDEFAULT\b)[^,;])*\bNOT\s+NULL\b(?:(?!\bDEFAULT\b)[^,;])*(?=[,;])/gi,
    'the release before does not write it: give it a default',
  ],
]

/** The tables and views a migration makes. */
export function listTables(sql: string): string[] {
  const pattern = /\bCREATE\s+(?:UNLOGGED\s+)?(?:TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/gi
  return [...tidySql(sql).matchAll(pattern)].map(match => match[1]!)
}

export function lintMigration(file: string, text: string): Violation[] {
  const sql = blankComments(text)
  const found = [
    ...FORBIDDEN.flatMap(([rule, pattern, message]) =>
      [...sql.matchAll(pattern)].map(match => ({ at: match.index, rule, message })),
    ),
    ...lintReleases(file, sql),
    ...lintTables(sql),
    ...lintNames(sql),
    ...lintKeys(sql),
    ...lintIndexes(sql),
  ]
  return found.map(({ at, rule, message }) => ({ file, line: lineOf(text, at), rule, message }))
}

/** While a new release starts, the one before goes on on the same tables. */
function lintReleases(file: string, sql: string): Found[] {
  const version = Number(/(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1] ?? 0)
  if (version <= FIRST_RELEASE || BEFORE_ANY_RELEASE.has(version)) return []
  return BREAKING.flatMap(([pattern, message]) =>
    [...sql.matchAll(pattern)].map(match => ({
      at: match.index,
      rule: 'serves-the-release-before',
      message,
    })),
  )
}

/** As long as before, so that places stay true. */
function blankComments(text: string): string {
  return text.replaceAll(/--[^\n]*/g, comment => ' '.repeat(comment.length))
}

function lintTables(sql: string): Found[] {
  return [...sql.matchAll(/\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)\s*\(/gi)].flatMap(
    match => {
      const body = bracketAt(sql, match.index + match[0].length - 1)
      const at = match.index
      const faults: Found[] = []
      if (!/^\s*tenant_id\s+text\s+NOT\s+NULL\b/i.test(body)) {
        faults.push({
          at,
          rule: 'tenant-first',
          message: `${match[1]}: the first column is tenant_id`,
        })
      }
      if (!/\bPRIMARY\s+KEY\b/i.test(body)) {
        faults.push({ at, rule: 'primary-key', message: `${match[1]} has no primary key` })
      }
      return faults
    },
  )
}

function bracketAt(sql: string, open: number): string {
  let depth = 0
  for (let i = open; i < sql.length; i++) {
    if (sql[i] === '(') depth++
    if (sql[i] === ')') depth--
    if (depth === 0) return sql.slice(open + 1, i)
  }
  return sql.slice(open + 1)
}

const CONSTRAINT =
  /\b(?:PRIMARY\s+KEY|UNIQUE(?!\s+INDEX)|FOREIGN\s+KEY|REFERENCES|CHECK|EXCLUDE)\b/gi

/** Invariant of this check: a named constraint begins with CONSTRAINT and its name. */
function lintNames(sql: string): Found[] {
  const unnamed = [...sql.matchAll(CONSTRAINT)].filter(match => {
    if (/^REFERENCES$/i.test(match[0]) && /\)\s*$/.test(sql.slice(0, match.index))) return false
    return !/\bCONSTRAINT\s+\w+\s*$/i.test(sql.slice(0, match.index))
  })
  const names = [
    ...sql.matchAll(/\bCONSTRAINT\s+(\w+)/gi),
    ...sql.matchAll(/\bINDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)\s+ON\b/gi),
  ]
  const long = names.filter(match => match[1]!.length > LONGEST_NAME)
  return [
    ...unnamed.map(({ index }) => ({
      at: index,
      rule: 'constraint-name',
      message: 'give it a name',
    })),
    ...long.map(match => ({
      at: match.index,
      rule: 'constraint-name',
      message: `${match[1]} has more than ${LONGEST_NAME} characters`,
    })),
  ]
}

function lintKeys(sql: string): Found[] {
  const keys = [
    ...sql.matchAll(/\b(?:PRIMARY\s+KEY|UNIQUE|FOREIGN\s+KEY)\s*\(([^)]*)\)/gi),
    ...sql.matchAll(/\bREFERENCES\s+\w+\s*\(([^)]*)\)/gi),
  ]
  return keys
    .filter(match => firstColumn(match[1]!) !== 'tenant_id')
    .map(({ index }) => ({ at: index, rule: 'tenant-first', message: 'tenant_id leads every key' }))
}

/** The tenant itself, or what is made of it and other columns. */
const LEADING = /^\s*(?:\w+\s*\(\s*)?tenant_id\b/

function lintIndexes(sql: string): Found[] {
  return [...sql.matchAll(/\bCREATE\s+(?:UNIQUE\s+)?INDEX\b([^(]*)\(/gi)].flatMap(match => {
    const at = match.index
    const faults: Found[] = []
    if (!/\w+\s+ON\s+\w+/i.test(match[1]!)) {
      faults.push({ at, rule: 'constraint-name', message: 'give the index a name' })
    }
    if (!LEADING.test(bracketAt(sql, at + match[0].length - 1))) {
      faults.push({ at, rule: 'tenant-first', message: 'tenant_id leads every index' })
    }
    return faults
  })
}

function firstColumn(list: string): string {
  return list.split(',')[0]!.trim().split(/\s/)[0]!
}
