// Finds a text in another in time that grows with the longer one alone, whatever the two are made of.

/** Up to this length `includes` takes such time itself (Boyer, Moore), and little of it; of a longer part it knows the end alone. */
const SHORT = 250

export function compileSearch(part: string): (text: string) => boolean {
  if (part.length <= SHORT) return text => text.includes(part)
  const end = part.slice(-SHORT)
  const falls = fallsOf(part)
  return text => {
    if (!text.includes(end)) return false
    let held = 0
    for (let i = 0; i < text.length; i++) {
      held = advance(part, falls, held, text.charCodeAt(i))
      if (held === part.length) return true
    }
    return false
  }
}

/** How much of the part is held after one more character (Knuth, Morris, Pratt). */
function advance(part: string, falls: Uint16Array, held: number, code: number): number {
  while (held > 0 && part.charCodeAt(held) !== code) held = falls[held - 1]!
  return part.charCodeAt(held) === code ? held + 1 : 0
}

/** For each beginning of the part, the longest shorter beginning that it ends with. */
function fallsOf(part: string): Uint16Array {
  const falls = new Uint16Array(part.length)
  for (let i = 1; i < part.length; i++) {
    falls[i] = advance(part, falls, falls[i - 1]!, part.charCodeAt(i))
  }
  return falls
}
