// The roles of the second lock, and the columns that a look across tenants may see: ids, states and due times.

/** `tenant` sees the rows of one tenant, `scan` a few columns of all; neither may bypass row-level security. */
export type DatabaseRoles = { readonly tenant: string; readonly scan: string }

const ROLE_PREFIX = 'bellwether'

export function nameRoles(prefix: string = ROLE_PREFIX): DatabaseRoles {
  return { tenant: `${prefix}_tenant`, scan: `${prefix}_scan` }
}

/** What the scans on the lint's list read; a scan that reads more is refused by PostgreSQL until it stands here. */
export const SCAN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  tenants: ['tenant_id', 'status', 'retention_months', 'closing_to'],
  actions: ['tenant_id', 'next_attempt_at', 'lease_until', 'expires_at'],
  employee_states: ['tenant_id', 'next_due_at'],
  event_count_entries: ['tenant_id', 'entry_id'],
  event_closings: ['tenant_id', 'closed_to', 'closing_since', 'days_to'],
  event_marks: ['tenant_id', 'level', 'block'],
  events: ['tenant_id', 'timestamp'],
  idempotent_answers: ['tenant_id', 'created_at'],
  jobs: ['tenant_id', 'job_id', 'lease_until', 'finished_at', 'email_hash'],
  notification_digests: ['tenant_id', 'next_at', 'lease_until'],
  notifications: ['tenant_id', 'kind', 'last_at', 'raised_at', 'mailed_at', 'mail_lease_until'],
  oauth_grants: ['tenant_id', 'expires_at'],
  oauth_tokens: ['tenant_id', 'expires_at'],
  score_count_entries: ['tenant_id', 'entry_id'],
  score_counts: ['tenant_id', 'day'],
  score_history: ['tenant_id', 'at'],
  score_marks: ['tenant_id', 'past_at'],
  shares: ['tenant_id', 'timestamp', 'to_version', 'folded'],
  unmatched_events: ['tenant_id', 'expires_at'],
  webhook_deliveries: ['tenant_id', 'webhook_id', 'next_attempt_at', 'lease_until'],
  webhook_messages: ['tenant_id', 'message_id'],
  webhook_recoveries: ['tenant_id', 'finished_at'],
  webhooks: ['tenant_id', 'webhook_id', 'status', 'updated_at', 'grant_id', 'disabled_reason'],
}

/**
 * Views for the tenants' role. Of the first two the text holds them to the tenant of the transaction, and their owner
 * reads the table for them; the others read as whoever asks, and so are held as the tables are.
 */
export const TENANT_VIEWS: readonly string[] = [
  'employee_texts',
  'employee_grams',
  'all_score_counts',
  'all_event_counts',
]
