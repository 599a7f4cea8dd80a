// A page of employees. The database plans a list once for any filter; which way is shorter for this one is chosen here, by counts.
import type { Band } from '../../../scoring/settings.ts'
import type { Tx } from '../platform/database.ts'
import { isWalkShorter } from '../platform/list-ways.ts'
import { pageAnswer, readPage } from '../platform/pagination.ts'
import {
  asksOfStanding,
  boundBands,
  countFound,
  countLastDay,
  countStandings,
  type EmployeeFilter,
  type EmployeeOrder,
  listEmployees,
  type Way,
} from './employee-lists.queries.ts'
import type { EmployeeQueryInput } from './employees.schema.ts'
import { FEW, FEW_BY_NAME, findFew } from './search.queries.ts'
import { searchText } from './search-text.ts'

type Page = ReturnType<typeof readPage>
type Asked = { filter: EmployeeFilter; order: EmployeeOrder; page: Page }
type Size = { way: Way; total: number | Promise<number> }

/** Of those found by a text: above this many it is faster to read the index of names than to sort them. */
const MOST_SORTED = 100_000

export async function readEmployeePage(tx: Tx, tenant_id: string, query: EmployeeQueryInput) {
  const { sort = 'name', order = 'asc', department, status, min_score, max_score } = query
  const search = query.search ? searchText(query.search) : undefined
  const wanted = { department, bands: readBands(query), min_score, max_score, status, search }
  const filter = await boundByBands(tx, tenant_id, wanted)
  const page = readPage(query)
  const asked: Asked = { filter, order: { sort, order }, page }
  const found = search === undefined ? filter : await find(tx, tenant_id, asked)
  const sizeUp = search === undefined ? sizeUpAll : sizeUpFound
  const { way, total } = await sizeUp(tx, tenant_id, { ...asked, filter: found })
  const list = { filter: found, order: asked.order, way }
  const [rows, counted] = await Promise.all([listEmployees(tx, tenant_id, list, page), total])
  return pageAnswer(rows, page, counted)
}

/** Few are known by their ids from here on. */
async function find(tx: Tx, tenant_id: string, { filter, order }: Asked): Promise<EmployeeFilter> {
  const isByName = order.sort === 'name' && !asksOfStanding(filter)
  const few = await findFew(tx, tenant_id, filter.search!, isByName ? FEW_BY_NAME : FEW)
  return { ...filter, few }
}

async function sizeUpAll(tx: Tx, tenant_id: string, asked: Asked): Promise<Size> {
  const total = countStandings(tx, tenant_id, asked.filter)
  if (isStraight(asked)) return { way: 'straight', total }
  const [found, before] = await Promise.all([total, countLastDay(tx, tenant_id)])
  // About how many there are is enough, and quickly read; after an import they are counted.
  const people = before >= found ? before : await countStandings(tx, tenant_id, {})
  return { way: isWalkShorter(found, asked.page, people) ? 'walked' : 'sorted', total }
}

/** Hardly anybody is left out on the way through a part of the index of the order. */
function isStraight({ filter, order: { sort } }: Asked): boolean {
  if (!asksOfStanding(filter)) return true
  if (filter.status === 'inactive') return false
  return sort === 'score' || (sort === 'department' && filter.department !== undefined)
}

async function sizeUpFound(tx: Tx, tenant_id: string, asked: Asked): Promise<Size> {
  const { filter, order } = asked
  const count = (way: Way) => countFound(tx, tenant_id, filter, way)
  if (filter.few) return { way: 'sorted', total: await count('sorted') }
  if (asksOfStanding(filter)) {
    const found = await countStandings(tx, tenant_id, filter)
    const way = found <= FEW ? 'sorted' : isStraight(asked) ? 'straight' : 'walked'
    return { way, total: await count(way) }
  }
  const total = await count('walked')
  return { way: order.sort === 'name' && total <= MOST_SORTED ? 'sorted' : 'walked', total }
}

/** The same people, found from a part of the index by score. */
async function boundByBands(tx: Tx, tenant_id: string, filter: EmployeeFilter) {
  const { bands, min_score = 0, max_score = 100 } = filter
  if (bands === undefined || bands.length === 0) return filter
  const bounds = await boundBands(tx, tenant_id, bands)
  return {
    ...filter,
    min_score: Math.max(min_score, bounds.min_score),
    max_score: Math.min(max_score, bounds.max_score),
  }
}

/** One band, several, or both: who is in all that was asked for. */
function readBands({ band, bands }: EmployeeQueryInput): Band[] | undefined {
  const several = bands?.split(',') as Band[] | undefined
  if (band === undefined) return several
  return several === undefined || several.includes(band) ? [band] : []
}
