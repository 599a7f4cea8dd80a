// Reads who did what a page tells of: people by address, keys and apps by name, as far as the role may know them.
import { useMay, useSession } from '../app/session.ts'
import { useAdmin } from '../ui/use-admin.ts'
import { type Names, OURS, sayActor, splitActor } from './actor-words.ts'

type Named = { data: { id?: string; client_id?: string; email?: string; name?: string }[] }

/** Read once for all rows of a page. */
function useReadNames(): Names {
  const session = useSession().data
  const may = {
    user: useMay('audit:read'),
    key: useMay('keys:manage'),
    app: useMay('apps:manage'),
  }
  const users = useAdmin<Named>('/admin/users/names', { enabled: may.user })
  const keys = useAdmin<Named>('/admin/keys', { enabled: may.key })
  const apps = useAdmin<Named>('/admin/apps', { enabled: may.app })
  const known = new Map(Object.entries(OURS))
  for (const list of [users.data, keys.data, apps.data]) {
    for (const one of list?.data ?? []) {
      const id = one.id ?? one.client_id ?? ''
      known.set(id, one.email || one.name || id)
    }
  }
  if (session) known.set(session.user.id, session.user.email)
  const hidden = Object.entries(may).flatMap(([kind, allowed]) => (allowed ? [] : [kind]))
  return { known, hidden: new Set(hidden) }
}

/** Everyone whose name may be read, by id. */
export function useActors(): ReadonlyMap<string, string> {
  return useReadNames().known
}

export function useActorNames(): (kind: string, id: string) => string {
  const names = useReadNames()
  return (kind, id) => sayActor(kind, id, names)
}

/** An actor as a row stores it. */
export function StoredActor({ actor }: { actor: string }) {
  return sayActor(...splitActor(actor), useReadNames())
}
