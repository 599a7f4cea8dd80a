// SQL of notifications: what people should hear of, repeated things counted on one row.
import type { Tx } from '../platform/database.ts'
import type { Write } from '../platform/write-together.ts'

export type Notice = {
  notification_id: string
  kind: string
  subject_kind: string
  subject_id: string
  /** How many of them this tells of; one unless given. */
  count?: number
  data: Record<string, unknown>
  at: Date
  /** Whether this is worth telling again, or only counted. */
  raise: boolean
}

/**
 * What is only counted is not mailed either, also where it begins a line. What is told again is to be mailed again,
 * whatever a clock that ran ahead has noted as mailed.
 */
export function addNotice(tx: Tx, tenant_id: string, notice: Notice): Write {
  const { at, raise } = notice
  return tx`INSERT INTO notifications AS x (tenant_id, notification_id, kind, subject_kind, subject_id, count, data,
      first_at, last_at, raised_at, mailed_at)
    VALUES (${tenant_id}, ${notice.notification_id}, ${notice.kind}, ${notice.subject_kind}, ${notice.subject_id},
      ${notice.count ?? 1}, ${tx.json(notice.data as never)}, ${at}, ${at}, ${at},
      ${raise ? null : at})
    ON CONFLICT (tenant_id, kind, subject_id) WHERE read_at IS NULL
    DO UPDATE SET count = x.count + EXCLUDED.count, data = EXCLUDED.data, last_at = EXCLUDED.last_at,
      raised_at = CASE WHEN ${raise}::boolean THEN EXCLUDED.raised_at ELSE x.raised_at END,
      mailed_at = CASE WHEN ${raise}::boolean THEN EXCLUDED.mailed_at ELSE x.mailed_at END`
}

export type NotificationRow = Omit<Notice, 'at' | 'raise' | 'count'> & {
  count: number
  first_at: Date
  last_at: Date
  raised_at: Date
  read_at: Date | null
  mailed_at: Date | null
}
