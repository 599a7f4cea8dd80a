// How people are called, also those of whom no name is left.
import { expect, test } from 'vitest'
import { fullName, isErased, sayAddress } from './names.ts'

const person = { first_name: 'Ada', last_name: 'Moss', email: 'ada@acme.test' }
const nameless = { first_name: '', last_name: '' }

test('a name, or else the address', () => {
  expect(fullName(person)).toBe('Ada Moss')
  expect(fullName({ ...nameless, email: 'ada@acme.test' })).toBe('ada@acme.test')
})

test('who was erased is said to be, and nobody else is', () => {
  const gone = { ...nameless, email: 'erased-emp_0mm8o8c001q7xk3m2p5aw9@invalid' }
  expect(fullName(gone)).toBe('Erased person')
  expect(sayAddress(gone.email)).toBe('Erased person')
  expect(sayAddress(person.email)).toBe(person.email)
  expect(isErased(gone)).toBe(true)
  expect(isErased({ email: 'erased-emp_1@invalid.example' })).toBe(false)
  expect(isErased(person)).toBe(false)
})
