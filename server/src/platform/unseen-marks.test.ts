// The list of characters that nobody sees against what Unicode says of every character there is.
import { expect, test } from 'vitest'
import { keyFault, NAME, nameFault } from './unseen-marks.ts'

const NEVER = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u
const JOINS = /\u200c|\u200d|\p{Variation_Selector}/u

test('a key holds none of them, a name joiners and selectors of a variant alone, and the told form says so', () => {
  const wrong: string[] = []
  const told = new RegExp(NAME, 'u')
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const text = `a${String.fromCodePoint(code)}b`
    const [unseen, joins] = [NEVER.test(text), JOINS.test(text)]
    const right =
      (keyFault(text) !== null) === unseen &&
      (nameFault(text) !== null) === (unseen && !joins) &&
      (code > 0xffff || told.test(text) === (!unseen || joins))
    if (!right) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})
