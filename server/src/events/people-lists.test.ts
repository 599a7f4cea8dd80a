// Packed sets of people say the same as plain sets, few or many, near or far apart.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addList,
  addNumber,
  emptySet,
  makeSet,
  packLists,
  packNumbers,
  packSet,
  uniteLists,
  unpackLists,
} from './people-lists.ts'

const sorted = (numbers: Iterable<number>) => [...new Set(numbers)].sort((a, b) => a - b)
const few = fc.array(fc.nat({ max: 3_000_000 }), { maxLength: 50 })
const dense = fc.array(fc.nat({ max: 400 }), { maxLength: 400 })
const people = fc.oneof(few, dense)

it('a union has the size and the members of the union of plain sets', () => {
  const set = makeSet(0)
  fc.assert(
    fc.property(fc.array(people, { maxLength: 6 }), people, (lists, single) => {
      emptySet(set)
      for (const list of lists) addList(set, packNumbers(sorted(list)))
      for (const number of single) addNumber(set, number)
      const all = sorted([...lists.flat(), ...single])
      expect(set.size).toBe(all.length)
      expect(packSet(set)).toEqual(packNumbers(all))
    }),
  )
})

it('what is packed is never longer than a bit each, nor than five bytes each', () => {
  fc.assert(
    fc.property(people, list => {
      const numbers = sorted(list)
      const { length } = packNumbers(numbers)
      expect(length).toBeLessThanOrEqual(((numbers.at(-1) ?? 0) >> 3) + 2)
      expect(length).toBeLessThanOrEqual(1 + numbers.length * 5)
    }),
  )
})

it('lists keep their names, whatever these are, and are united by them', () => {
  const named = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 300 }), people, {
    maxKeys: 4,
    noNullPrototype: true,
  })
  fc.assert(
    fc.property(fc.array(named, { maxLength: 4 }), blocks => {
      const packed = blocks.map(block =>
        packLists(
          new Map(Object.entries(block).map(([name, list]) => [name, packNumbers(sorted(list))])),
        ),
      )
      const united = uniteLists(packed.map(unpackLists), 10)
      const names = new Set(blocks.flatMap(block => Object.keys(block)))
      expect(new Set(united.keys())).toEqual(names)
      for (const name of names) {
        const all = sorted(
          blocks.flatMap(block => (Object.hasOwn(block, name) ? block[name]! : [])),
        )
        expect(Uint8Array.from(united.get(name)!)).toEqual(packNumbers(all))
      }
    }),
  )
})
