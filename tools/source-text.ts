// Reads TypeScript as text with care: what is code, what is a comment, a string or a template. There is no parser to ask.

export type Template = {
  /** Where its opening backtick stands. */
  readonly at: number
  /** The expression it is tagged with, without type arguments; empty for none. */
  readonly tag: string
  readonly strings: readonly string[]
  readonly expressions: readonly { text: string; templates: readonly Template[] }[]
}

export type Source = {
  readonly text: string
  /** Comments, strings, regular expressions and the text of templates blanked; line breaks stay. */
  readonly code: string
  /** Only comments blanked. */
  readonly uncommented: string
  /** Outermost templates; those inside an expression hang on it. */
  readonly templates: readonly Template[]
}

type Reader = { text: string; code: string[]; uncommented: string[] }

export function readSource(text: string): Source {
  const reader = { text, code: [...text.split('')], uncommented: [...text.split('')] }
  const { templates } = readCode(reader, 0, false)
  return { text, code: reader.code.join(''), uncommented: reader.uncommented.join(''), templates }
}

function blank(marks: string[], from: number, to: number): void {
  for (let i = from; i < to; i++) if (marks[i] !== '\n') marks[i] = ' '
}

/** Reads code up to the end, or up to the brace that closes the expression it began in. */
function readCode(reader: Reader, from: number, inExpression: boolean) {
  const { text } = reader
  const templates: Template[] = []
  let depth = 0
  let i = from
  while (i < text.length) {
    const character = text[i]!
    if (character === '{') depth++
    if (character === '}' && inExpression && depth === 0) break
    if (character === '}') depth--
    if (character === '`') {
      const { template, end } = readTemplate(reader, i)
      templates.push(template)
      i = end
      continue
    }
    i = skipQuoted(reader, i) ?? i + 1
  }
  return { templates, end: i }
}

/** The end of the comment, string or regular expression that begins here, or null. */
function skipQuoted(reader: Reader, from: number): number | null {
  const { text, code, uncommented } = reader
  const pair = text.slice(from, from + 2)
  if (pair === '//' || pair === '/*') {
    const mark = pair === '//' ? '\n' : '*/'
    const found = text.indexOf(mark, from + 2)
    const end = found < 0 ? text.length : found + (pair === '//' ? 0 : 2)
    blank(code, from, end)
    blank(uncommented, from, end)
    return end
  }
  const quote = text[from]!
  const opens = quote === "'" || quote === '"' || (quote === '/' && startsRegex(text, from))
  if (!opens) return null
  const end = endOfQuoted(text, from, quote)
  blank(code, from + 1, end - 1)
  return end
}

function endOfQuoted(text: string, from: number, quote: string): number {
  let inClass = false
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '\n') return i
    else if (quote === '/' && text[i] === '[') inClass = true
    else if (quote === '/' && text[i] === ']') inClass = false
    else if (text[i] === quote && !inClass) return i + 1
  }
  return text.length
}

/** A slash after a value divides; after anything else it opens a regular expression. */
function startsRegex(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 200), at).trimEnd()
  if (/\b(?:return|typeof|case|in|of|void|delete|await|yield)$/.test(before)) return true
  return !/[\w$)\]}'"`]$/.test(before)
}

function readTemplate(reader: Reader, at: number): { template: Template; end: number } {
  const { text, code } = reader
  const strings: string[] = []
  const expressions: Template['expressions'][number][] = []
  let start = at + 1
  let i = start
  while (i < text.length && text[i] !== '`') {
    if (text[i] === '\\') i += 2
    else if (text.startsWith('${', i)) {
      strings.push(text.slice(start, i))
      blank(code, start, i)
      const { templates, end } = readCode(reader, i + 2, true)
      expressions.push({ text: text.slice(i + 2, end), templates })
      i = end + 1
      start = i
    } else i++
  }
  strings.push(text.slice(start, i))
  blank(code, start, i)
  return { template: { at, tag: tagBefore(text, at), strings, expressions }, end: i + 1 }
}

function tagBefore(text: string, at: number): string {
  let end = at
  if (text[at - 1] === '>' && text[at - 2] !== '=') end = openingAngle(text, at - 1)
  return /[A-Za-z_$][\w$.]*$/.exec(text.slice(Math.max(0, end - 100), end))?.[0] ?? ''
}

function openingAngle(text: string, close: number): number {
  let depth = 0
  for (let i = close; i >= 0; i--) {
    if (text[i] === '>' && text[i - 1] !== '=') depth++
    if (text[i] === '<') depth--
    if (depth === 0) return i
  }
  return close
}

/** The place of the bracket that closes the one at `open`; `code` holds no strings or comments. */
export function closingOf(code: string, open: number): number {
  const [left, right] = { '(': '()', '{': '{}', '[': '[]' }[code[open]!]!.split('')
  let depth = 0
  for (let i = open; i < code.length; i++) {
    if (code[i] === left) depth++
    if (code[i] === right) depth--
    if (depth === 0) return i
  }
  return code.length
}

export function lineOf(text: string, at: number): number {
  let line = 1
  for (let i = 0; i < at && i < text.length; i++) if (text[i] === '\n') line++
  return line
}
