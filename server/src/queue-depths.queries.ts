// SQL of the queues' metrics: how much waits and since when, over all tenants, by the indexes that find the work itself.
import type { Tx } from './platform/database.ts'

export type Depth = { queue: string; depth: number; oldest: Date | null }

/** Of one tenant, or subscription, at most this many are counted, so that a look at a long queue stays short. */
const MOST_COUNTED = 1000

/** Deliveries count once due; a lease does not take them out: they are not delivered yet. */
export async function readDueDeliveries(tx: Tx, now: Date): Promise<Depth[]> {
  return tx<Depth[]>`
    SELECT 'deliveries' AS queue, count(d.next_attempt_at) AS depth, min(d.next_attempt_at) AS oldest
    FROM tenants t CROSS JOIN webhooks w CROSS JOIN LATERAL (
      SELECT l.next_attempt_at FROM webhook_deliveries l
      WHERE l.tenant_id = t.tenant_id AND l.webhook_id = w.webhook_id AND l.next_attempt_at <= ${now}
      ORDER BY l.next_attempt_at LIMIT ${MOST_COUNTED}) d
    WHERE t.status = 'active' AND w.tenant_id = t.tenant_id`
}

export async function readDueChanges(tx: Tx, now: Date): Promise<Depth[]> {
  return tx<Depth[]>`
    SELECT 'score_changes' AS queue, count(d.next_due_at) AS depth, min(d.next_due_at) AS oldest
    FROM tenants t CROSS JOIN LATERAL (
      SELECT s.next_due_at FROM employee_states s
      WHERE s.tenant_id = t.tenant_id AND s.next_due_at <= ${now}
      ORDER BY s.next_due_at LIMIT ${MOST_COUNTED}) d
    WHERE t.status <> 'deleting'`
}

export async function readDueActions(tx: Tx, now: Date): Promise<Depth[]> {
  return tx<Depth[]>`
    SELECT 'actions' AS queue, count(d.next_attempt_at) AS depth, min(d.next_attempt_at) AS oldest
    FROM tenants t CROSS JOIN LATERAL (
      SELECT a.next_attempt_at FROM actions a
      WHERE a.tenant_id = t.tenant_id AND a.next_attempt_at <= ${now}
      ORDER BY a.next_attempt_at LIMIT ${MOST_COUNTED}) d
    WHERE t.status = 'active'`
}

export async function readOpenJobs(tx: Tx): Promise<Depth[]> {
  return tx<Depth[]>`
    SELECT 'jobs' AS queue, count(d.job_id) AS depth, NULL::timestamptz AS oldest
    FROM tenants t CROSS JOIN LATERAL (
      SELECT j.job_id FROM jobs j WHERE j.tenant_id = t.tenant_id AND j.finished_at IS NULL
      LIMIT ${MOST_COUNTED}) d
    WHERE t.status <> 'deleting'`
}

/** Changes of the kept counts that are not added up: many of them make views slow. */
export async function readCountEntries(tx: Tx): Promise<Depth[]> {
  return tx<Depth[]>`
    SELECT 'counts' AS queue, count(d.entry_id) AS depth, NULL::timestamptz AS oldest
    FROM tenants t CROSS JOIN LATERAL (
      (SELECT s.entry_id FROM score_count_entries s WHERE s.tenant_id = t.tenant_id LIMIT ${MOST_COUNTED})
      UNION ALL
      (SELECT e.entry_id FROM event_count_entries e WHERE e.tenant_id = t.tenant_id LIMIT ${MOST_COUNTED})) d
    WHERE t.status <> 'deleting'`
}
