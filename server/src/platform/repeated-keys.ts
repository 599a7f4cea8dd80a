// Where an object of a JSON text has a key more than once: a parser silently keeps the last one only.

/** An object or list that is open; `at` is the key or index one is at, null where a key comes next. */
type Open = { at: string | number | null; readonly keys: Map<string, number> | null }

/** The path of every such key. The text must be valid JSON. */
export function findRepeatedKeys(text: string): (string | number)[][] {
  const open: Open[] = []
  const found: (string | number)[][] = []
  for (let i = 0; i < text.length; i++) {
    const inner = open.at(-1)
    switch (text.charCodeAt(i)) {
      case 123: // {
        open.push({ at: null, keys: new Map() })
        break
      case 91: // [
        open.push({ at: 0, keys: null })
        break
      case 125: // }
      case 93: // ]
        open.pop()
        break
      case 44: // ,
        inner!.at = typeof inner!.at === 'number' ? inner!.at + 1 : null
        break
      case 34: {
        // "
        const end = endOfString(text, i)
        if (inner?.at === null) {
          inner.at = readKey(text, i, end)
          const count = (inner.keys!.get(inner.at) ?? 0) + 1
          if (count === 2) found.push(open.map(({ at }) => at!))
          inner.keys!.set(inner.at, count)
        }
        i = end
      }
    }
  }
  return found
}

/** Few keys have escapes, and a look for one is quick. */
function readKey(text: string, start: number, end: number): string {
  const inside = text.slice(start + 1, end)
  return inside.includes('\\') ? JSON.parse(`"${inside}"`) : inside
}

function endOfString(text: string, start: number): number {
  let end = start + 1
  for (let code = text.charCodeAt(end); code !== 34; code = text.charCodeAt(end)) {
    end += code === 92 ? 2 : 1
  }
  return end
}
