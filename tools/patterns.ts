// Finds every regular expression of a source, so that a test can try to make each of them slow.
import { readSource } from './source-text.ts'

export type Pattern = { readonly source: string; readonly flags: string }

const BEFORE = /(?:[(,=:[!&|?{};+\n>]|\breturn|\bcase)\s*$/

/** Literals only; what is put together at run time is named in the test. */
export function listPatterns(text: string): Pattern[] {
  const { uncommented, code } = readSource(text)
  const found: Pattern[] = []
  for (let at = uncommented.indexOf('/'); at >= 0; at = uncommented.indexOf('/', at + 1)) {
    // Blanked in the code, kept beside the comments: the inside of a string or of an expression.
    if (code[at] === '/' && code[at + 1] !== ' ') continue
    if (!BEFORE.test(uncommented.slice(Math.max(0, at - 20), at))) continue
    const literal = readLiteral(uncommented, at)
    if (literal === null) continue
    found.push(literal.pattern)
    at = literal.end
  }
  return found
}

function readLiteral(text: string, at: number): { pattern: Pattern; end: number } | null {
  let inClass = false
  for (let i = at + 1; i < text.length && text[i] !== '\n'; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '[') inClass = true
    else if (text[i] === ']') inClass = false
    else if (text[i] === '/' && !inClass) {
      const flags = /^[dgimsuvy]*/.exec(text.slice(i + 1))![0]
      const source = text.slice(at + 1, i)
      return source !== '' && isPattern(source, flags)
        ? { pattern: { source, flags }, end: i }
        : null
    }
  }
  return null
}

function isPattern(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}

/** Texts that make a careless pattern try everything: its own characters over and over, and an end that never fits. */
export function attacksOn({ source }: Pattern, length: number): string[] {
  const own = [...new Set(source.replaceAll(/\\[a-zA-Z]|[\\^$*+?.()[\]{}|]/g, ''))].slice(0, 12)
  const letters = [...new Set([...own, 'a', '0', ' ', '-', '.', '@', '"', '\\'])]
  const pairs = letters.slice(0, 5).map((letter, i) => letter + letters[(i + 1) % letters.length]!)
  return [...letters, ...pairs].map(unit => `${unit.repeat(Math.ceil(length / unit.length))}\u0001`)
}
