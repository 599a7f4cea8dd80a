// Sets of people as bytes: packed, united and counted. Pure.

/** Numbers from 0 on, ascending, each once. As gaps where few, as bits where that is shorter. */
export type PackedList = Uint8Array

const GAPS = 0
const BITS = 1

/** How many bits each byte has. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let ones = 0
  for (let rest = byte; rest > 0; rest >>= 1) ones += rest & 1
  return ones
})

/** Invariant: the numbers ascend and each is there once. */
export function packNumbers(numbers: readonly number[]): PackedList {
  const bytes: number[] = [GAPS]
  let last = -1
  for (const number of numbers) {
    pushVarint(bytes, number - last - 1)
    last = number
  }
  const asBits = Math.floor(last / 8) + 2
  if (bytes.length <= asBits) return Uint8Array.from(bytes)
  const bits = new Uint8Array(asBits)
  bits[0] = BITS
  for (const number of numbers) bits[1 + (number >> 3)]! |= 1 << (number & 7)
  return bits
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest >>>= 7
  }
  bytes.push(rest)
}

/** A set that lists are added to; it may be emptied and used again. */
export type PeopleSet = { bits: Uint8Array; size: number }

export function makeSet(people: number): PeopleSet {
  return { bits: new Uint8Array((people >> 3) + 1), size: 0 }
}

export function emptySet(set: PeopleSet): void {
  set.bits.fill(0)
  set.size = 0
}

export function addNumber(set: PeopleSet, number: number): void {
  if (number >> 3 >= set.bits.length) grow(set, number)
  const [at, bit] = [number >> 3, 1 << (number & 7)]
  if ((set.bits[at]! & bit) !== 0) return
  set.bits[at]! |= bit
  set.size++
}

function grow(set: PeopleSet, number: number): void {
  const larger = new Uint8Array(Math.max(set.bits.length * 2, (number >> 3) + 1))
  larger.set(set.bits)
  set.bits = larger
}

export function addList(set: PeopleSet, list: PackedList): void {
  if (list[0] === BITS) addBits(set, list)
  else addGaps(set, list)
}

function addBits(set: PeopleSet, list: PackedList): void {
  if (list.length - 1 > set.bits.length) grow(set, (list.length - 2) * 8)
  const { bits } = set
  let more = 0
  for (let i = 1; i < list.length; i++) {
    const was = bits[i - 1]!
    const is = was | list[i]!
    if (is === was) continue
    bits[i - 1] = is
    more += ONES[is ^ was]!
  }
  set.size += more
}

/** The loop that millions of people pass through: no calls, no objects. */
function addGaps(set: PeopleSet, list: PackedList): void {
  let { bits } = set
  let number = -1
  let more = 0
  for (let i = 1; i < list.length; ) {
    let byte = list[i++]!
    let gap = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = list[i++]!
      gap |= (byte & 127) << shift
    }
    number += gap + 1
    const at = number >> 3
    if (at >= bits.length) {
      grow(set, number)
      bits = set.bits
    }
    const was = bits[at]!
    const is = was | (1 << (number & 7))
    if (is !== was) {
      bits[at] = is
      more++
    }
  }
  set.size += more
}

export function packSet({ bits }: PeopleSet): PackedList {
  const numbers: number[] = []
  for (let at = 0; at < bits.length; at++) {
    const byte = bits[at]!
    if (byte === 0) continue
    for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) numbers.push(at * 8 + bit)
  }
  return packNumbers(numbers)
}

/** Lists by name, one after the other. */
export type NamedLists = ReadonlyMap<string, PackedList>

export function packLists(lists: NamedLists): Buffer {
  const parts: Uint8Array[] = []
  for (const [name, list] of lists) {
    const text = Buffer.from(name)
    const head: number[] = []
    pushVarint(head, text.length)
    const between: number[] = []
    pushVarint(between, list.length)
    parts.push(Uint8Array.from(head), text, Uint8Array.from(between), list)
  }
  return Buffer.concat(parts)
}

/** The lists are views of the bytes given. */
export function unpackLists(bytes: Uint8Array): Map<string, PackedList> {
  const lists = new Map<string, PackedList>()
  let at = 0
  const readVarint = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const take = (length: number) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const name = Buffer.from(take(readVarint())).toString()
    lists.set(name, take(readVarint()))
  }
  return lists
}

/** The lists of several blocks by name, united. `people`: one more than the highest number. */
export function uniteLists(blocks: readonly NamedLists[], people: number): Map<string, PackedList> {
  const parts = new Map<string, PackedList[]>()
  for (const block of blocks) {
    for (const [name, list] of block) parts.set(name, [...(parts.get(name) ?? []), list])
  }
  const set = makeSet(people)
  return new Map(
    [...parts].map(([name, lists]) => {
      if (lists.length === 1) return [name, lists[0]!]
      emptySet(set)
      for (const list of lists) addList(set, list)
      return [name, packSet(set)]
    }),
  )
}
