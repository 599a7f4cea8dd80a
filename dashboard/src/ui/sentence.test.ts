// What is said in notes and toasts begins and ends as sentences do; addresses are spelt as they are.
import { expect, test } from 'vitest'
import { apart, sentence, spelt, straight } from './sentence.ts'

test.each([
  ['the service is busy', 'The service is busy.'],
  ['Is it so?', 'Is it so?'],
  ['kim@acme.test is removed', 'kim@acme.test is removed.'],
  ['hooks.example.com is enabled', 'hooks.example.com is enabled.'],
])('%s', (text, said) => {
  expect(sentence(text)).toBe(said)
})

test('a name written from right to left takes nothing beside it along; others stay as they are', () => {
  expect(apart('Ada Moss')).toBe('Ada Moss')
  for (const name of ['محمد', 'כהן', '\u200fAda'])
    expect(`${apart(name)}: 58`).toBe(`\u2068${name}\u2069: 58`)
})

test('marks that turn the direction of text are not shown: a name would read as another', () => {
  expect(straight('Ann\u202egnp\u202c \u2067Moss\u2069')).toBe('Anngnp Moss')
  expect(straight('رضا\u200c\u200f محمد')).toBe('رضا\u200c\u200f محمد')
  expect(spelt('okta\u202e')).toBe('okta\\u202e')
  expect(JSON.parse(spelt('{"a":"x\u2069"}'))).toEqual({ a: 'x\u2069' })
  // Closed from within, the words after it would be turned.
  expect(apart('Ann\u2069\u202e52')).toBe('Ann52')
  expect(apart('כהן\u2069\u202e52')).toBe('\u2068כהן52\u2069')
})
