// A name can be confirmed as it is read on the page, and not by another one.
import { expect, test } from 'vitest'
import { isSameName } from './same-name.ts'

test('white space counts as the page shows it: several as one, none around', () => {
  expect(isSameName('Ada Moss', 'Ada  Moss')).toBe(true)
  expect(isSameName(' Ada  Moss\t', 'Ada Moss ')).toBe(true)
  expect(isSameName('Ada Moss', 'Ada\u00a0 Moss')).toBe(true)
})

test('an accent within its letter is one that stands apart, whichever was typed', () => {
  expect(isSameName('Jos\u00e9', 'Jose\u0301')).toBe(true)
  expect(isSameName('Jose\u0301', 'Jos\u00e9')).toBe(true)
  expect(isSameName('Jose', 'Jose\u0301')).toBe(false)
})

test('another name, other letters and nothing are not it', () => {
  for (const typed of ['', ' ', 'Ada', 'AdaMoss', 'ada moss', 'Ada Moss 2']) {
    expect(isSameName(typed, 'Ada  Moss'), typed).toBe(false)
  }
})
