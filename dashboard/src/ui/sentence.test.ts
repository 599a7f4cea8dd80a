// What is said in notes and toasts begins and ends as sentences do; addresses are spelt as they are.
import { expect, test } from 'vitest'
import { apart, sentence } from './sentence.ts'

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
  for (const name of ['محمد', 'כהן', '\u202eeda'])
    expect(`${apart(name)}: 58`).toBe(`\u2068${name}\u2069: 58`)
})
