// Who did something, by name where it may be known: people by address, keys and apps by name.
import { useMay, useSession } from '../app/session.ts'
import { useAdmin } from '../ui/use-admin.ts'

type Named = { data: { id?: string; client_id?: string; email?: string; name?: string }[] }

const KINDS: Record<string, string> = { engine: 'Bellwether', operator: 'Operator' }

/** Everyone whose name may be read, by id. */
export function useActors(): ReadonlyMap<string, string> {
  const session = useSession().data
  const users = useAdmin<Named>('/admin/users/names', { enabled: useMay('audit:read') })
  const keys = useAdmin<Named>('/admin/keys', { enabled: useMay('keys:manage') })
  const apps = useAdmin<Named>('/admin/apps', { enabled: useMay('apps:manage') })
  const names = new Map(Object.entries(KINDS))
  for (const list of [users.data, keys.data, apps.data]) {
    for (const one of list?.data ?? []) {
      const id = one.id ?? one.client_id ?? ''
      names.set(id, one.email || one.name || id)
    }
  }
  if (session) names.set(session.user.id, session.user.email)
  return names
}

/** Reads names once for all rows of a page; those who may not read a list see the id instead. */
export function useActorNames(): (kind: string, id: string) => string {
  const names = useActors()
  return (kind, id) => KINDS[kind] ?? (names.get(id) || id)
}

/** The form in which a row stores its actor: kind and id with a colon between. */
export function splitActor(text: string): [kind: string, id: string] {
  const at = text.indexOf(':')
  return at < 0 ? ['', text] : [text.slice(0, at), text.slice(at + 1)]
}
