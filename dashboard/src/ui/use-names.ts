// The names of people of whom only ids are known, looked up in one go.
import { straight } from './sentence.ts'
import { useAdmin } from './use-admin.ts'

export type Named = { id: string; email: string; first_name: string; last_name: string }

/** At most a hundred at a time. */
export const namesPath = (ids: readonly string[]) => `/admin/employees/names?ids=${ids.join(',')}`

/** By id; those still looked up are not in it, and those without a name, or whose could not be read, have an empty one. */
export type Names = ReadonlyMap<string, string>

export function useNames(ids: readonly string[]): Names {
  const asked = [...new Set(ids)].toSorted()
  const names = useNamed(asked)
  const known = new Map(
    (names.data?.data ?? []).map(({ id, first_name, last_name }) => [
      id,
      straight(`${first_name} ${last_name}`).trim(),
    ]),
  )
  const failed = names.failureCount > 0 || names.errorUpdateCount > 0
  if (failed || (names.data && !names.isPlaceholderData)) {
    for (const id of asked) known.set(id, known.get(id) ?? '')
  }
  return known
}

/** The addresses of the same people, asked for once with the names. */
export function useAddresses(ids: readonly string[]): Names {
  const named = useNamed([...new Set(ids)].toSorted())
  return new Map((named.data?.data ?? []).map(one => [one.id, one.email]))
}

function useNamed(asked: readonly string[]) {
  return useAdmin<{ data: Named[] }>(namesPath(asked), {
    enabled: asked.length > 0,
    placeholderData: before => before,
  })
}
