// A name can be confirmed as it is read on the page, and not by another one.
import { expect, test } from 'vitest'
import { isSameName } from './same-name.ts'

test('white space counts as the page shows it: several as one, none around', () => {
  expect(isSameName('Ada Moss', 'Ada  Moss')).toBe(true)
  expect(isSameName(' Ada  Moss\t', 'Ada Moss ')).toBe(true)
  expect(isSameName('Ada Moss', 'Ada\u00a0 Moss')).toBe(true)
})

test('another name, other letters and nothing are not it', () => {
  for (const typed of ['', ' ', 'Ada', 'AdaMoss', 'ada moss', 'Ada Moss 2']) {
    expect(isSameName(typed, 'Ada  Moss'), typed).toBe(false)
  }
})
