// Where words of people can stand: every column of text that is not on the lists here. Pure.

export type Column = { table: string; column: string; type: string; key: number | null }
export type Field = { readonly name: string; readonly type: string }

/** One table, looked through in the order of its key. */
export type Target = {
  readonly table: string
  readonly keys: readonly Field[]
  /** Columns whose mentions are replaced, or which are emptied. */
  readonly fields: readonly Field[]
  readonly emptied: readonly string[]
  /** Parts of the key that people choose: a row is removed when they name the person. */
  readonly chosen: readonly string[]
}

const TEXTS = new Set(['text', 'varchar', 'json', 'jsonb', '_text'])

/** Tables without words of people, or with words that must stay as they are. */
const APART: Readonly<Record<string, string>> = {
  audit_entries: 'the chain: ids and kinds only',
  audit_values: 'those about the person are found by their entries',
  memberships: 'an account of the dashboard is removed before its person is erased',
  erasures: 'what is looked for, sealed',
  users: 'accounts are of no tenant',
  sessions: 'accounts are of no tenant',
  account_links: 'accounts are of no tenant',
}

/** Names of units, integrations and kinds: they group numbers and are no words about a person. */
const LABELS = new Set([
  ...['department', 'source', 'sources', 'type', 'event_type', 'trigger_event', 'transition'],
  ...['event', 'events', 'category', 'scopes', 'role', 'plan'],
])

/** Values that only we write: states, actors, durations, secrets under seal. */
const OURS = new Set([
  ...['status', 'kind', 'band', 'previous_band', 'new_band', 'reason', 'ended_by', 'revoked_for'],
  ...['actor', 'created_by', 'requested_by', 'decided_by', 'finished_by', 'disabled_reason'],
  ...['cooldown', 'quiet_for', 'frequency', 'stage', 'response_encoding', 'fence', 'subject_kind'],
  ...['secret', 'new_secret', 'signature', 'standard_signature', 'code_challenge', 'cooling'],
  ...['rules_matched', 'bucket', 'throttle', 'done_to', 'ends_at', 'csrf_token', 'purpose'],
  ...['waits_for'],
])

/** Who somebody else is. */
const OTHERS = new Set(
  ['email', 'email_key', 'first_name', 'last_name', 'search_text'].map(one => `employees.${one}`),
)

const CHOSEN: Readonly<Record<string, readonly string[]>> = {
  idempotent_answers: ['request'],
  external_ids: ['external_id'],
}
const EMPTIED: Readonly<Record<string, readonly string[]>> = {
  idempotent_answers: ['answer', 'location'],
  webhook_attempts: ['response_body'],
}

/** Invariant: what others are made from comes before what is made from it, so that nothing is copied behind us. */
const FIRST = ['jobs', 'rules', 'action_policies', 'webhooks', 'unmatched_events', 'events']
const LAST = [
  ...['actions', 'notifications', 'webhook_messages', 'webhook_deliveries', 'webhook_attempts'],
  ...['external_ids', 'idempotent_answers'],
]

export function isSearched({ table, column, type, key }: Column): boolean {
  if (!TEXTS.has(type) || table in APART || OTHERS.has(`${table}.${column}`)) return false
  if (key !== null) return CHOSEN[table]?.includes(column) ?? false
  if (column.endsWith('_id') && column !== 'external_id') return false
  return !LABELS.has(column) && !OURS.has(column)
}

export function planSweep(columns: readonly Column[]): Target[] {
  const tables = [...Map.groupBy(columns, one => one.table)]
  const targets = tables.map(([table, own]) => planTable(table, own))
  const place = ({ table }: Target) => {
    if (FIRST.includes(table)) return FIRST.indexOf(table) - FIRST.length
    return LAST.includes(table) ? LAST.indexOf(table) + 1 : 0
  }
  return targets
    .filter(({ fields, chosen }) => fields.length + chosen.length > 0)
    .sort((a, b) => place(a) - place(b) || (a.table < b.table ? -1 : 1))
}

function planTable(table: string, columns: readonly Column[]): Target {
  const named = ({ column, type }: Column) => ({ name: column, type })
  const keys = columns.filter(one => one.key !== null && one.column !== 'tenant_id')
  const searched = columns.filter(isSearched)
  return {
    table,
    keys: keys.toSorted((a, b) => a.key! - b.key!).map(named),
    fields: searched.filter(one => one.key === null).map(named),
    emptied: EMPTIED[table] ?? [],
    chosen: CHOSEN[table] ?? [],
  }
}
