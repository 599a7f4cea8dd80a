// Which subscriptions have messages that are being tried again: their receivers may be in trouble, and end them.
import { useAdmin } from '../ui/use-admin.ts'

/** How often a subscription in sight is looked at: what its receiver answers may disable it. */
export const LOOK_MS = 5_000

export type Retrying = (webhook_id: string) => number

export function useRetrying(): Retrying {
  const path = '/admin/webhooks/retrying'
  const counts = useAdmin<{ data: { id: string; retrying: number }[] }>(path, {
    refetchInterval: LOOK_MS,
  })
  return id => counts.data?.data.find(one => one.id === id)?.retrying ?? 0
}
