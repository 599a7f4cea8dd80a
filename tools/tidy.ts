// The rules of the house that one file alone can break. Pure: text in, violations out.
import { closingOf, lineOf, readSource, type Source } from './source-text.ts'

export type Violation = { file: string; line: number; rule: string; message: string }

type Found = { at: number; message: string }
type Rule = {
  readonly name: string
  applies(file: string): boolean
  check(source: Source, file: string): Found[]
}

const isTest = (file: string) => /\.(?:test|fixture|bench)\.tsx?$|^server\/test\/|^e2e\//.test(file)
const isScript = (file: string) => /\.(?:ts|tsx|js|mjs)$/.test(file)
const isOwnCode = (file: string) => isScript(file) && !isTest(file)
const any = () => true

function findAll(text: string, pattern: RegExp, message: string): Found[] {
  return [...text.matchAll(pattern)].map(match => ({ at: match.index, message }))
}

const MOST_LINES = 600
const MOST_TEST_LINES = 800
const MOST_HANDLER_LINES = 15
const MOST_FUNCTION_LINES = 80
const OPENINGS: Record<string, RegExp> = {
  ts: /^(?:#!.*\n)?\/\/ \S/,
  tsx: /^\/\/ \S/,
  js: /^(?:#!.*\n)?\/\/ \S/,
  mjs: /^(?:#!.*\n)?\/\/ \S/,
  css: /^\/\* \S/,
  sql: /^-- \S/,
}

const RULES: readonly Rule[] = [
  {
    name: 'opens-with-its-reason',
    applies: file => extension(file) in OPENINGS,
    check: ({ text }, file) =>
      OPENINGS[extension(file)]!.test(text)
        ? []
        : [{ at: 0, message: 'begin with a comment that says why the file exists' }],
  },
  {
    name: 'file-length',
    applies: isScript,
    check: ({ text }, file) => {
      const lines = text.split('\n').length - 1
      const most = isTest(file) ? MOST_TEST_LINES : MOST_LINES
      return lines <= most ? [] : [{ at: 0, message: `${lines} lines; at most ${most}` }]
    },
  },
  {
    name: 'file-name',
    applies: isScript,
    check: (_, file) =>
      /(?:^|\/)(?:utils?|helpers?|common|types|misc|index)\.\w+$/.test(file)
        ? [{ at: 0, message: 'name the file after what it holds' }]
        : [],
  },
  { name: 'function-length', applies: isOwnCode, check: checkFunctions },
  {
    name: 'handler-length',
    applies: file => /\.(?:routes|admin)\.ts$/.test(file),
    check: checkHandlers,
  },
  {
    name: 'environment',
    applies: file =>
      isOwnCode(file) && file !== 'server/src/config.ts' && !/^(?:tools|bench)\//.test(file),
    check: ({ code }) =>
      findAll(code, /\bprocess\s*\.\s*env\b|\bprocess\s*\[/g, 'read it in config.ts'),
  },
  {
    // Somebody may set the clock: what is measured by it would take hours, or no time at all.
    name: 'wall-clock',
    applies: file =>
      /^server\/src\/(?!platform\/clock\.ts).*(?<!\.(?:test|fixture))\.ts$/.test(file),
    check: ({ code }) =>
      findAll(code, /\bDate\.now\b/g, 'measure by performance.now(), date by the clock passed in'),
  },
  {
    name: 'raw-sql',
    applies: file =>
      isOwnCode(file) &&
      !/^server\/src\/platform\/(?:migrate|secure-tenants|database)\.ts$/.test(file),
    check: ({ code }) => findAll(code, /\.unsafe\s*\(/g, 'write SQL as a tagged template'),
  },
  {
    name: 'sql-home',
    applies: file =>
      isOwnCode(file) && /^server\/src\/(?!platform\/)/.test(file) && !/queries\.ts$/.test(file),
    check: ({ templates }) =>
      templates
        .filter(({ tag, strings }) => tag !== '' && SQL.test(strings[0] ?? ''))
        .map(({ at }) => ({ at, message: 'SQL lives in a queries file' })),
  },
  {
    name: 'shell',
    applies: isScript,
    check: ({ code, uncommented }) => [
      ...findAll(code, /\bshell\s*:\s*true\b/g, 'start programs without a shell'),
      ...findAll(
        uncommented,
        /^import\s*\{[^}]*\bexec(?:Sync)?\b[^}]*\}\s*from\s*'(?:node:)?child_process'/gm,
        'use spawn or execFile',
      ),
      ...findAll(
        code,
        /\b(?:child_process|childProcess)\.exec(?:Sync)?\s*\(/g,
        'use spawn or execFile',
      ),
    ],
  },
  {
    name: 'raw-html',
    applies: isScript,
    check: ({ code }) =>
      findAll(
        code,
        /\bdangerouslySetInnerHTML\b|\.(?:inner|outer)HTML\s*=/g,
        'let the template escape it',
      ),
  },
  {
    name: 'unfinished',
    applies: any,
    check: ({ text }) =>
      findAll(text, /\b(?:TO[D]O|FIX[M]E|XX[X])\b/g, 'finish it or leave it out'),
  },
  {
    name: 'left-out-test',
    applies: isTest,
    check: ({ code }) =>
      findAll(
        code,
        /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:only|skip|todo|fails)\b/g,
        'every test runs',
      ),
  },
  {
    name: 'machine-path',
    applies: any,
    check: ({ text }) =>
      findAll(text, /(?<![\w.~-])\/(?:work|root|tmp|home)\//g, 'names a folder of one machine'),
  },
]

const SQL =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|SET LOCAL|LOCK|TRUNCATE|MERGE|CREATE|ALTER|DROP)\b/

export const RULE_NAMES = RULES.map(rule => rule.name)

export function checkFile(file: string, text: string): Violation[] {
  const source = isScript(file) ? readSource(text) : plainSource(text)
  return RULES.filter(rule => rule.applies(file)).flatMap(rule =>
    rule.check(source, file).map(({ at, message }) => ({
      file,
      line: lineOf(text, at),
      rule: rule.name,
      message,
    })),
  )
}

function plainSource(text: string): Source {
  return { text, code: text, uncommented: text, templates: [] }
}

function extension(file: string): string {
  return /\.(\w+)$/.exec(file)?.[1] ?? ''
}

const HANDLER = /\b\w+\s*\.\s*(?:get|post|put|patch|delete|route)\s*\(\s*(?=')/g

function checkHandlers({ code }: Source): Found[] {
  return [...code.matchAll(HANDLER)].flatMap(match => {
    const open = code.indexOf('(', match.index)
    const call = code.slice(open + 1, closingOf(code, open))
    const arrow = lastArgument(call)
    const lines = bodyLines(arrow)
    const message = `the handler has ${lines} lines; at most ${MOST_HANDLER_LINES}`
    return lines > MOST_HANDLER_LINES ? [{ at: match.index, message }] : []
  })
}

/** The text after the last comma that stands in no bracket; a trailing one is not counted. */
function lastArgument(call: string): string {
  const text = call.trimEnd().replace(/,$/, '')
  let depth = 0
  for (let i = text.length - 1; i >= 0; i--) {
    if (')}]'.includes(text[i]!)) depth++
    if ('({['.includes(text[i]!)) depth--
    if (text[i] === ',' && depth === 0) return text.slice(i + 1)
  }
  return text
}

function bodyLines(arrow: string): number {
  const body = arrow.slice(arrow.indexOf('=>') + 2).trim()
  const lines = body.split('\n').length
  return body.startsWith('{') ? Math.max(0, lines - 2) : lines
}

function checkFunctions({ code }: Source): Found[] {
  return [...code.matchAll(/\bfunction\s*\*?\s*(\w+)/g)].flatMap(match => {
    const parameters = code.indexOf('(', match.index)
    const end = endOfFunction(code, closingOf(code, parameters))
    const lines = code.slice(match.index, end).split('\n').length
    const message = `${match[1]} has ${lines} lines; at most ${MOST_FUNCTION_LINES}`
    return lines > MOST_FUNCTION_LINES ? [{ at: match.index, message }] : []
  })
}

/** The body opens at the end of a line; braces before it belong to the type of the result. */
function endOfFunction(code: string, from: number): number {
  const open = /\{[ \t]*(?=\n)/.exec(code.slice(from))
  if (!open) return from
  const end = closingOf(code, from + open.index)
  const isType = /^\}[^\n;]*\{[ \t]*\n/.test(code.slice(end, end + 200))
  return isType ? endOfFunction(code, end) : end
}
