// Where an object of a JSON text has a key more than once: a parser silently keeps the last one only.

/** An object or list that is open; `at` is the key or index one is at, null where a key comes next. */
type Open = { at: string | number | null; readonly keys: Map<string, number> }

/** The path of every such key. The text must be valid JSON. */
export function findRepeatedKeys(text: string): (string | number)[][] {
  const open: Open[] = []
  const found: (string | number)[][] = []
  for (let i = 0; i < text.length; i++) {
    const inner = open.at(-1)
    const char = text[i]
    if (char === '{') open.push({ at: null, keys: new Map() })
    else if (char === '[') open.push({ at: 0, keys: new Map() })
    else if (char === '}' || char === ']') open.pop()
    else if (char === ',' && inner) inner.at = typeof inner.at === 'number' ? inner.at + 1 : null
    else if (char === '"') {
      const end = endOfString(text, i)
      if (inner?.at === null) {
        const key: string = JSON.parse(text.slice(i, end + 1))
        inner.at = key
        const count = (inner.keys.get(key) ?? 0) + 1
        if (count === 2) found.push(open.map(({ at }) => at as string | number))
        inner.keys.set(key, count)
      }
      i = end
    }
  }
  return found
}

function endOfString(text: string, start: number): number {
  let end = start + 1
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end
}
