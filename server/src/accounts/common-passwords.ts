// The most common passwords, as a sorted list of the first 6 bytes of their SHA-256.
// Made of the password list of @zxcvbn-ts/language-common 4.1.3 (MIT): its first 20,000 entries and all of
// 12 characters or more, in lower case. One in 14 billion other passwords is refused by chance.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const WIDTH = 6
let list: Buffer | null = null

export function isCommonPassword(text: string): boolean {
  list ??= readFileSync(new URL('common-passwords.bin', import.meta.url))
  const wanted = createHash('sha256').update(text.toLowerCase()).digest().subarray(0, WIDTH)
  let [low, high] = [0, list.length / WIDTH - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = wanted.compare(list, middle * WIDTH, (middle + 1) * WIDTH)
    if (order === 0) return true
    if (order < 0) high = middle - 1
    else low = middle + 1
  }
  return false
}
