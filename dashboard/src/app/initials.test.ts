// Whatever an address is made of, letters of it stand for the person.
import { expect, test } from 'vitest'
import { initialsOf } from './initials.ts'

test.each([
  ['ada.moss@example.com', 'AM'],
  ['kim@example.com', 'KI'],
  ['_bob@example.com', 'BO'],
  ['-ada.-moss@example.com', 'AM'],
  ['x_@example.com', 'X'],
  ['_@example.com', '_'],
])('%s is %s', (email, initials) => {
  expect(initialsOf(email)).toBe(initials)
})
