// The planted bugs fit the files they are planted into; npm run faults -- --plants shows that each is caught.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PLANTS, plantInto } from './plants.ts'

describe('planted bugs', () => {
  test('are ten', () => expect(Object.keys(PLANTS)).toHaveLength(10))

  test.each(Object.entries(PLANTS))('%s has its place', (_name, plant) => {
    for (const edit of plant.edits) {
      const text = readFileSync(new URL(`../${edit.file}`, import.meta.url), 'utf8')
      expect(plantInto(edit, text)).not.toBe(text)
    }
  })

  test('one that has lost its place is an error', () => {
    const plant = { file: 'x.ts', find: 'a', put: 'b' }
    expect(plantInto(plant, 'xax')).toBe('xbx')
    expect(() => plantInto(plant, 'xaxa')).toThrow('x.ts')
    expect(() => plantInto(plant, 'none')).toThrow('x.ts')
  })
})
