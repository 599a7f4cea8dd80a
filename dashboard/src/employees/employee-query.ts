// What the list of employees is asked for, by what stands in the address.
import { type Address, oneOf, pageOf } from '../app/address.ts'
import type { Operations } from '../generated/api.ts'
import { BANDS, type Band } from '../ui/bands.ts'

export type EmployeeQuery = Operations['GET /v1/employees']['query']

const SORTS = ['score', 'name', 'last_event', 'department'] as const

/** Several bands stand in the address with commas between. */
export function readBands(address: Address): Band[] {
  const asked = address.band?.split(',') ?? []
  return BANDS.filter(band => asked.includes(band))
}

const scoreOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,3}$/.test(text) && Number(text) <= 100 ? Number(text) : undefined

/** Those who have left are out of the way unless asked for. */
export function readQuery(address: Address): EmployeeQuery {
  const status =
    address.status === 'all' ? undefined : oneOf(address.status, ['active', 'inactive'])
  return {
    search: address.search || undefined,
    department: address.department,
    bands: readBands(address).join(',') || undefined,
    min_score: scoreOf(address.min_score),
    max_score: scoreOf(address.max_score),
    status: address.status === 'all' ? undefined : (status ?? 'active'),
    sort: oneOf(address.sort, SORTS) ?? 'name',
    order: oneOf(address.order, ['asc', 'desc']) ?? 'asc',
    page: pageOf(address),
  }
}

/** Whether somebody may be left out who would be in the list as it opens. */
export function narrows(address: Address): boolean {
  const { status, search, bands, department, min_score, max_score } = readQuery(address)
  const filters = [search, bands, department, min_score, max_score]
  return status === 'inactive' || filters.some(one => one !== undefined)
}
