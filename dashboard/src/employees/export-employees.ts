// Everyone a list shows, on all its pages, as a CSV file.
import { call } from '../app/call-api.ts'
import type { EmployeeSummary } from '../generated/api.ts'
import { printCsv, saveFile } from '../ui/csv.ts'
import { plural } from '../ui/numbers.ts'
import { showFailure, showToast } from '../ui/toasts.ts'
import type { EmployeeQuery } from './employees-page.tsx'

const FIELDS = [
  'id',
  'email',
  'first_name',
  'last_name',
  'department',
  'manager_email',
  'score',
  'band',
  'status',
  'last_event_at',
  'created_at',
] as const satisfies readonly (keyof EmployeeSummary)[]

export async function exportEmployees(query: EmployeeQuery): Promise<void> {
  try {
    const rows: EmployeeSummary[] = []
    for (let page = 1; ; page++) {
      const answer = await call('GET /v1/employees', { query: { ...query, page, per_page: 100 } })
      rows.push(...answer.data)
      if (page >= answer.pagination.total_pages) break
    }
    const cells = rows.map(row => FIELDS.map(field => row[field]))
    saveFile('employees.csv', printCsv(FIELDS, cells))
    showToast(`Exported ${plural(rows.length, 'person', 'people')}`)
  } catch (error) {
    showFailure(error)
  }
}
