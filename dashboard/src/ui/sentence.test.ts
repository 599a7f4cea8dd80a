// What is said in notes and toasts begins and ends as sentences do; addresses are spelt as they are.
import { expect, test } from 'vitest'
import { sentence } from './sentence.ts'

test.each([
  ['the service is busy', 'The service is busy.'],
  ['Is it so?', 'Is it so?'],
  ['kim@acme.test is removed', 'kim@acme.test is removed.'],
  ['hooks.example.com is enabled', 'hooks.example.com is enabled.'],
])('%s', (text, said) => {
  expect(sentence(text)).toBe(said)
})
