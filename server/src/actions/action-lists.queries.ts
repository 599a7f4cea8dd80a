// SQL of lists of actions: a page in any order by any filter, and its total.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { idFloor } from '../platform/ids.ts'
import { findNarrowest, isExactly, sizeParts } from '../platform/list-ways.ts'
import type { Order, Sorting } from '../platform/sorting.ts'
import type { Write } from '../platform/write-together.ts'
import { type ActionRow, columns } from './actions.queries.ts'

export type ActionFilter = {
  employee_id: string | null
  type: string | null
  status: string | null
  from: Instant | null
  to: Instant | null
}

/** By ids, which hold the instant: a window is then found by the key. */
function where(tx: Tx, { employee_id, type, status, from, to }: ActionFilter) {
  return tx`${employee_id === null ? tx`` : tx`AND a.employee_id = ${employee_id}`}
    ${type === null ? tx`` : tx`AND a.type = ${type}`}
    ${status === null ? tx`` : tx`AND a.status = ${status}`}
    ${from === null ? tx`` : tx`AND a.action_id >= ${idFloor('act', from)}`}
    ${to === null ? tx`` : tx`AND a.action_id < ${idFloor('act', to + 1)}`}`
}

export type ActionSorting = Sorting<'created_at' | 'type' | 'status' | 'email'>

function orderBy(tx: Tx, { sort, order }: ActionSorting) {
  const by =
    sort === 'email' ? tx`e.email_key` : tx`a.${tx(sort === 'created_at' ? 'action_id' : sort)}`
  return order === 'asc' ? tx`${by}, a.action_id` : tx`${by} DESC, a.action_id DESC`
}

const EQUALS = ['employee_id', 'type', 'status'] as const
const NOTHING: ActionFilter = { employee_id: null, type: null, status: null, from: null, to: null }
/** Where so many times the page are found, it is near along the order too. */
const WIDE = 4
type Page = { per_page: number; offset: number }

/** Each condition with the window, of which the index of either holds the ids. */
function cutFilter(tx: Tx, filter: ActionFilter): Write[] {
  const { from, to } = filter
  const asked = EQUALS.filter(by => filter[by] !== null)
  const window = where(tx, { ...NOTHING, from, to })
  if (asked.length === 0) return from === null && to === null ? [] : [window]
  return asked.map(by => tx`${isExactly(tx, tx`a.${tx(by)}`, filter[by])} ${window}`)
}

/** The part of the filter that finds few, if there is one. */
async function findPart(tx: Tx, tenant_id: string, filter: ActionFilter) {
  const rows = tx`FROM actions a WHERE a.tenant_id = ${tenant_id}`
  const parts = cutFilter(tx, filter).map(is => ({ is }))
  return findNarrowest(await sizeParts(tx, rows, parts))
}

/** What a part of the filter finds, sorted; along the order, leaving out the others; or straight by the key. */
type Way = { of: 'found' | 'walked' | 'straight'; is: Write; by: ActionSorting['sort'] }

async function chooseWay(
  tx: Tx,
  tenant_id: string,
  filter: ActionFilter,
  { sort }: ActionSorting,
  page: Page,
  count: () => Promise<number>,
): Promise<Way> {
  const isSame = sort === 'type' || sort === 'status' ? filter[sort] !== null : false
  const by = isSame ? 'created_at' : sort
  const parts = cutFilter(tx, filter).length
  const is = where(tx, filter)
  if (parts === 0 || (parts === 1 && by === 'created_at')) return { of: 'straight', is, by }
  const part = await findPart(tx, tenant_id, filter)
  if (part) return { of: 'found', is: part.is, by }
  if (by === 'created_at' || by === 'email') return { of: 'straight', is, by }
  const isWalked = (await count()) > WIDE * (page.offset + page.per_page)
  return { of: isWalked ? 'walked' : 'found', is, by }
}

function pageOf(
  tx: Tx,
  tenant_id: string,
  filter: ActionFilter,
  { of, is, by }: Way,
  order: Order,
) {
  const all = tx`FROM actions a WHERE a.tenant_id = ${tenant_id}`
  const shown = tx`a.action_id, a.employee_id, a.type, a.status`
  const ordered = tx`ORDER BY ${orderBy(tx, { sort: by, order })}`
  const person = tx`CROSS JOIN LATERAL (SELECT e.email_key FROM employees e
    WHERE e.tenant_id = ${tenant_id} AND e.employee_id = a.employee_id OFFSET 0) e`
  if (of === 'straight') {
    const people = tx`JOIN employees e ON e.tenant_id = ${tenant_id} AND e.employee_id = a.employee_id`
    return tx`SELECT a.action_id FROM actions a ${by === 'email' ? people : tx``}
      WHERE a.tenant_id = ${tenant_id} ${where(tx, filter)} ${ordered}`
  }
  if (of === 'walked') {
    return tx`SELECT a.action_id FROM (SELECT ${shown} ${all} ${ordered} OFFSET 0) a
      WHERE true ${where(tx, filter)} ${ordered}`
  }
  return tx`SELECT a.action_id FROM (SELECT ${shown} ${all} ${is} OFFSET 0) a ${by === 'email' ? person : tx``}
    WHERE true ${where(tx, filter)} ${ordered}`
}

/** The page is found first, people being asked for only where it is ordered by them, and only then read. */
export async function listActions(
  tx: Tx,
  tenant_id: string,
  filter: ActionFilter,
  sorting: ActionSorting,
  page: Page,
  count = () => countActions(tx, tenant_id, filter),
): Promise<ActionRow[]> {
  const way = await chooseWay(tx, tenant_id, filter, sorting, page, count)
  return tx<ActionRow[]>`
    SELECT ${columns(tx)}
    FROM (${pageOf(tx, tenant_id, filter, way, sorting.order)}
      LIMIT ${page.per_page} OFFSET ${page.offset}) AS page
    CROSS JOIN LATERAL (SELECT a.* FROM actions a
      WHERE a.tenant_id = ${tenant_id} AND a.action_id = page.action_id OFFSET 0) a
    CROSS JOIN LATERAL (SELECT e.email, e.email_key FROM employees e
      WHERE e.tenant_id = ${tenant_id} AND e.employee_id = a.employee_id OFFSET 0) e
    ORDER BY ${orderBy(tx, sorting)}`
}

/** Of several conditions the narrowest is read by itself (OFFSET 0), and the others are asked of what it finds. */
export async function countActions(tx: Tx, tenant_id: string, filter: ActionFilter) {
  const [is = tx``, ...others] = cutFilter(tx, filter)
  const part = others.length === 0 ? undefined : await findPart(tx, tenant_id, filter)
  const all = tx`FROM actions a WHERE a.tenant_id = ${tenant_id}`
  const found = part
    ? tx`FROM (SELECT a.* ${all} ${part.is} OFFSET 0) a WHERE true ${where(tx, filter)}`
    : tx`${all} ${others.length === 0 ? is : where(tx, filter)}`
  const [row] = await tx<{ n: number }[]>`SELECT count(*) AS n ${found}`
  return row!.n
}
