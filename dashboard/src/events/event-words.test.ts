// What a sender said of an event stands in one line beside our own words, and turns none of them.
import { expect, test } from 'vitest'
import { sayDetails } from './event-words.ts'

test.each([
  [
    { description: 'VPN from an unknown network', severity: 'high' },
    'VPN from an unknown network · severity high',
  ],
  [{ reason: 'a talk with Ada' }, 'a talk with Ada'],
  [{ campaign: 'March', template: 'x' }, 'March'],
  [{ severity: 'low' }, 'severity low'],
  [{ description: 7, severity: null }, ''],
])('%j', (details, said) => {
  expect(sayDetails(details)).toBe(said)
})

test('marks that turn the direction of text are left out, and words from right to left take nothing along', () => {
  expect(sayDetails({ description: 'paid \u202eecived\u202c', severity: '\u2067high' })).toBe(
    'paid ecived · severity high',
  )
  expect(sayDetails({ description: 'כהן', severity: 'high' })).toBe(
    '\u2068כהן\u2069 · severity high',
  )
})
