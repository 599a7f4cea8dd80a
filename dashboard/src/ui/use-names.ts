// The names of people of whom only ids are known, looked up in one go.
import { useAdmin } from './use-admin.ts'

type Named = { id: string; first_name: string; last_name: string }

export function useNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const path = `/admin/employees/names?ids=${ids.toSorted().join(',')}`
  const names = useAdmin<{ data: Named[] }>(path, {
    enabled: ids.length > 0,
    placeholderData: before => before,
  })
  return new Map(
    (names.data?.data ?? []).map(one => [one.id, `${one.first_name} ${one.last_name}`.trim()]),
  )
}
