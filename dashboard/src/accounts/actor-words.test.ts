// Who did something is told by name, or by what they are where the name is not for whoever reads it.
import { expect, test } from 'vitest'
import { sayActor, splitActor } from './actor-words.ts'

const known = new Map([['usr_1', 'ada@acme.test']])
const all = { known, hidden: new Set<string>() }
const some = { known, hidden: new Set(['user', 'key', 'app']) }

test('ourselves, and whoever is known, by name', () => {
  for (const names of [all, some]) {
    expect(sayActor('engine', 'engine', names)).toBe('Bellwether')
    expect(sayActor('operator', 'cli', names)).toBe('Operator')
    expect(sayActor('user', 'usr_1', names)).toBe('ada@acme.test')
  }
})

test('who may not read a list is told what somebody is, not a bare id', () => {
  expect(sayActor('user', 'usr_2', some)).toBe('An owner or admin')
  expect(sayActor('key', 'key_1', some)).toBe('An API key')
  expect(sayActor('app', 'app_1', some)).toBe('An OAuth app')
  expect(sayActor('', 'what', some)).toBe('what')
})

test('who may read it sees the id of one who is no longer in it', () => {
  expect(sayActor('user', 'usr_2', all)).toBe('usr_2')
})

test('an actor is stored as kind and id', () => {
  expect(splitActor('user:usr_1')).toEqual(['user', 'usr_1'])
  expect(splitActor('a:b:c')).toEqual(['a', 'b:c'])
  expect(splitActor('plain')).toEqual(['', 'plain'])
})
