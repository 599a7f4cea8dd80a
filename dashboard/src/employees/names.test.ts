// How people are called, also those of whom no name is left.
import { expect, test } from 'vitest'
import { fullName, isErased, nameIn, sayAddress } from './names.ts'

const person = { first_name: 'Ada', last_name: 'Moss', email: 'ada@acme.test' }
const nameless = { first_name: '', last_name: '' }

test('a name, or else the address', () => {
  expect(fullName(person)).toBe('Ada Moss')
  expect(fullName({ ...person, last_name: '\u2069\u202essoM' })).toBe('Ada ssoM')
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

test('in a list of something else: by name, told apart from a namesake, by address without one', () => {
  const names = new Map([
    ['emp_1', 'Ada Moss'],
    ['emp_2', 'Ada Moss'],
    ['emp_3', 'Ben Okoro'],
    ['emp_4', ''],
  ])
  const say = (n: number, email = `${n}@acme.test`) =>
    nameIn(names, { employee_id: `emp_${n}`, employee_email: email })
  expect(say(3)).toBe('Ben Okoro')
  expect([say(1), say(2)]).toEqual(['Ada Moss · 1@acme.test', 'Ada Moss · 2@acme.test'])
  expect(say(4)).toBe('4@acme.test')
  expect(say(4, 'erased-emp_4@invalid')).toBe('Erased person')
  expect(say(5), 'still being looked up').toBeUndefined()
})
