// The names of people of whom only ids are known, looked up in one go.
import { useAdmin } from './use-admin.ts'

type Named = { id: string; first_name: string; last_name: string }

/** By id; those still looked up are not in it, and those without a name, or whose could not be read, have an empty one. */
export type Names = ReadonlyMap<string, string>

export function useNames(ids: readonly string[]): Names {
  const asked = [...new Set(ids)].toSorted()
  const names = useAdmin<{ data: Named[] }>(`/admin/employees/names?ids=${asked.join(',')}`, {
    enabled: asked.length > 0,
    placeholderData: before => before,
  })
  const known = new Map(
    (names.data?.data ?? []).map(one => [one.id, `${one.first_name} ${one.last_name}`.trim()]),
  )
  const failed = names.failureCount > 0 || names.errorUpdateCount > 0
  if (failed || (names.data && !names.isPlaceholderData)) {
    for (const id of asked) known.set(id, known.get(id) ?? '')
  }
  return known
}
