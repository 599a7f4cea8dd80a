// What the address asks of the list of employees, and whether that leaves anybody out.
import { expect, test } from 'vitest'
import { narrows, readQuery } from './employee-query.ts'

test('the list as it opens is everyone who is active, by name', () => {
  const query = readQuery({ sort: 'shoe size', page: '-1' })
  expect(query).toMatchObject({ status: 'active', sort: 'name', order: 'asc', page: 1 })
  expect(narrows({})).toBe(false)
  expect(narrows({ page: '99', sort: 'score', order: 'desc', status: 'all' })).toBe(false)
})

test('every filter narrows, that for inactive people too', () => {
  for (const address of [
    { search: 'tariq' },
    { band: 'red' },
    { department: '' },
    { min_score: '0' },
    { max_score: '40' },
    { status: 'inactive' },
  ])
    expect(narrows(address), JSON.stringify(address)).toBe(true)
})

test('what makes no sense is no filter', () => {
  const address = { status: 'away', band: 'purple', min_score: 'abc', max_score: '101', search: '' }
  const query = { search: undefined, bands: undefined, min_score: undefined, max_score: undefined }
  expect(readQuery(address)).toMatchObject({ ...query, status: 'active' })
  expect(narrows(address)).toBe(false)
})
