// Every notification of a tenant as it is stored, read or not, newest first.

import type { NotificationRow } from '../src/notifications/notifications.queries.ts'
import type { Tx } from '../src/platform/database.ts'

export async function listNotifications(tx: Tx, tenant_id: string) {
  return tx<NotificationRow[]>`
    SELECT notification_id, kind, subject_kind, subject_id, count, data, first_at, last_at, raised_at, read_at,
      mailed_at
    FROM notifications WHERE tenant_id = ${tenant_id} ORDER BY last_at DESC, notification_id DESC`
}
