// A page past the end of a list leads to its last one.
import { expect, test } from 'vitest'
import { lastBefore } from './past-end.ts'

const at = (page: number, total: number) =>
  lastBefore({ page, per_page: 25, total, total_pages: Math.ceil(total / 25) })

test('a page there is leads nowhere else', () => {
  expect([at(1, 250), at(10, 250), at(1, 0)]).toEqual([null, null, null])
})

test('a page past the end leads to the last one, of an empty list to the first', () => {
  expect([at(99, 255), at(11, 250), at(2, 25), at(2, 0)]).toEqual([11, 10, 1, 1])
})
