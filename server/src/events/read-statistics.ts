// Statistics of events: how many, how grave, and how many people they befell, exact for any window.
import { setImmediate as giveWay } from 'node:timers/promises'
import type { Static } from 'typebox'
import { DAY } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { readWindowWithDefaults } from '../platform/dates.ts'
import type { StatisticsQuery } from './events.schema.ts'
import {
  addList,
  addNumber,
  emptySet,
  makeSet,
  type PackedList,
  type PeopleSet,
  unpackLists,
} from './people-lists.ts'
import {
  countRows,
  type Grouping,
  type Listed,
  listRows,
  readClosed,
  readDoubts,
  readLists,
  type Sum,
  sumDays,
  sumHours,
  sumRows,
} from './statistics.queries.ts'
import { coverWindow, HOUR_LEVEL, type Span } from './time-blocks.ts'

const MOST_GROUPS = 1000

export async function readEventStatistics(
  { db, clock }: Context,
  tenant_id: string,
  query: Static<typeof StatisticsQuery>,
) {
  const { from, to } = readWindowWithDefaults(query, clock.now())
  const window = { from, to: to + 1 }
  const by = query.group_by ?? 'type'
  const { sums, people } = await db.readTenant(tenant_id, async tx => {
    const closed = await readClosed(tx, tenant_id)
    const [sums, people] = await Promise.all([
      readSums(tx, tenant_id, by, window, closed),
      readPeople(tx, tenant_id, by, window, closed),
    ])
    return { sums, people }
  })
  const groups = largestGroups(sums)
  const affected = await countPeople(
    people,
    groups.map(group => group.value),
  )
  const data = groups.map(({ value, count, impact }) => ({
    type: value,
    ...(by === 'type' ? {} : { [by]: value }),
    count,
    affected_employees: affected.get(value)!,
    average_impact: Math.round((impact / count) * 10) / 10 + 0,
  }))
  return { data }
}

/** Largest count first, then by value as the database orders it: by its bytes. */
function largestGroups(sums: readonly Sum[]): Sum[] {
  const groups = new Map<string, Sum>()
  for (const { value, count, impact } of sums) {
    const group = groups.get(value) ?? { value, count: 0, impact: 0 }
    groups.set(value, { value, count: group.count + count, impact: group.impact + impact })
  }
  return [...groups.values()]
    .filter(group => group.count > 0)
    .sort((a, b) => b.count - a.count || Buffer.from(a.value).compare(Buffer.from(b.value)))
    .slice(0, MOST_GROUPS)
}

/** Whole days from the kept counts; what is left of the first and last day by whole hours and rows. */
async function readSums(
  tx: Tx,
  tenant_id: string,
  by: Grouping,
  window: Span,
  closed: number,
): Promise<Sum[]> {
  const first = Math.ceil(window.from / DAY) * DAY
  const end = Math.floor(window.to / DAY) * DAY
  const whole = first < end
  const edges = whole
    ? [
        { from: window.from, to: first },
        { from: end, to: window.to },
      ]
    : [window]
  const parts = edges.filter(edge => edge.from < edge.to)
  const doubts = await Promise.all(parts.map(edge => readDoubts(tx, tenant_id, 'sums', edge)))
  const covers = parts.map((edge, i) => coverWindow(edge, closed, doubts[i]!, HOUR_LEVEL))
  const hours = covers.flatMap(cover => cover.blocks.map(one => one.block))
  const spans = covers.flatMap(cover => cover.spans)
  const found = await Promise.all([
    whole ? sumDays(tx, tenant_id, by, first, end - DAY) : [],
    sumHours(tx, tenant_id, by, hours),
    sumRows(tx, tenant_id, by, spans),
  ])
  return found.flat()
}

/** Either counted by the database already, or lists that are still to be united. */
type People = { counted: Map<string, number> } | { lists: Buffer[]; rows: Listed[] }

async function readPeople(
  tx: Tx,
  tenant_id: string,
  by: Grouping,
  window: Span,
  closed: number,
): Promise<People> {
  const doubts = await readDoubts(tx, tenant_id, 'people', window)
  const { blocks, spans } = coverWindow(window, closed, doubts)
  if (blocks.length === 0) {
    const rows = await countRows(tx, tenant_id, by, window)
    return { counted: new Map(rows.map(row => [row.value, row.people])) }
  }
  const [lists, rows] = await Promise.all([
    readLists(tx, tenant_id, by, blocks),
    listRows(tx, tenant_id, by, spans),
  ])
  return { lists, rows }
}

/** Bytes after which other requests have their turn. */
const TURN_BYTES = 262_144

async function countPeople(people: People, values: readonly string[]) {
  if ('counted' in people) return people.counted
  const blocks = people.lists.map(unpackLists)
  const rows = new Map(people.rows.map(row => [row.value, row.people]))
  const set = makeSet(0)
  const counts = new Map<string, number>()
  let bytes = 0
  for (const value of values) {
    const lists = blocks.flatMap(block => block.get(value) ?? [])
    counts.set(value, countGroup(set, lists, rows.get(value)))
    bytes += lists.reduce((sum, list) => sum + list.length, 0)
    if (bytes < TURN_BYTES) continue
    bytes = 0
    await giveWay()
  }
  return counts
}

/** People without a number are in no block, so the two never overlap. */
function countGroup(set: PeopleSet, lists: readonly PackedList[], rows: string | undefined) {
  emptySet(set)
  for (const list of lists) addList(set, list)
  let others = 0
  for (const one of rows?.split(',') ?? []) {
    if (one.startsWith('emp_')) others++
    else addNumber(set, Number(one))
  }
  return set.size + others
}
