// The planted bugs fit the files they are planted into; npm run faults -- --plants shows that each is caught.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PLANTS, plantInto, tellingOf } from './plants.ts'

/** In the order of the plants. */
const FINDINGS = [
  'two: GET /v1/events/evt_1 was answered 404 {"error":{"code":"NOT_FOUND"}}',
  '15 deliveries were recorded as delivered more than once: dlv_1',
  'another tenant was shown /v1/events/evt_1',
  'a guess after 5 failures was judged within 12 ms',
  '1300 messages never came, such as dlv_1',
  'event 46 was repeated with its key and answered 201 {"id":"evt_1"}',
  '390 changes of score, 462 were told of',
  '756 deliveries are not delivered: dlv_1',
  'one: POST /v1/events was answered 409 {"message":"the first request with this key is under way"}',
  'a rule was set to -8, the next event counted -3',
]

describe('planted bugs', () => {
  test('are ten', () => expect(Object.keys(PLANTS)).toHaveLength(10))

  test.each(Object.entries(PLANTS))('%s has its place', (_name, plant) => {
    for (const edit of plant.edits) {
      const text = readFileSync(new URL(`../${edit.file}`, import.meta.url), 'utf8')
      expect(plantInto(edit, text)).not.toBe(text)
    }
  })

  test.each(Object.keys(PLANTS))('%s is told by what it causes, and by nothing else', name => {
    expect(tellingOf(name, FINDINGS)).toEqual([FINDINGS[Object.keys(PLANTS).indexOf(name)]])
  })

  test('what a slow machine may cause gives none away', () => {
    const slow = [
      'after 15 s there still was: 3 people',
      'nobody knows what became of event 3',
      '2 jobs failed',
      'dlv_1 came again 70000 ms later without a fault',
      'one: GET /v1/employees was answered 500 {}',
    ]
    for (const name of Object.keys(PLANTS)) expect(tellingOf(name, slow), name).toEqual([])
    expect(tellingOf(null, slow)).toEqual(slow)
  })

  test('one that has lost its place is an error', () => {
    const plant = { file: 'x.ts', find: 'a', put: 'b' }
    expect(plantInto(plant, 'xax')).toBe('xbx')
    expect(() => plantInto(plant, 'xaxa')).toThrow('x.ts')
    expect(() => plantInto(plant, 'none')).toThrow('x.ts')
  })
})
