// Every table with every column: its key, what leads from a row to a person, what an erasure leaves of it, and what is
// plain. Erasure and the deletion of a tenant go by this list, and a test holds it against the database.

/** What is left of a column. A null stays null whatever is named here. */
export type Left =
  | null
  | string
  /** An empty object of JSON. */
  | typeof EMPTY
  /** Fields of an object of JSON that are replaced; the others stay. */
  | { readonly put: Readonly<Record<string, unknown>> }

export const EMPTY = { empty: true } as const
/** The address that stands for somebody erased: each has their own. */
export const ALIAS = 'the alias'

/** The columns that hold something of a person, and what is left of each; or the row goes. */
export type Personal = 'delete' | Readonly<Record<string, Left>>

export type Table = {
  /** The primary key after tenant_id. */
  readonly key: readonly string[]
  /**
   * The column that leads to the person: their id, a list of ids, or their address in the form in which addresses are
   * compared. Or the table whose rows lead there, and the columns both have. Null: none.
   */
  readonly subject:
    | 'employee_id'
    | 'employee_ids'
    | 'email_key'
    | { readonly of: string; readonly by: readonly string[] }
    | null
  readonly personal: Personal | null
  /** Rows about somebody else that hold the person's address, by the column that equals it. */
  readonly named?: { readonly by: 'manager_key'; readonly left: Personal }
  /**
   * In which order an erasure goes through the person's rows: the columns behind the subject in the index that leads to
   * them. `all`: no index does, and all rows of the tenant are looked at.
   */
  readonly walk?: { readonly by: readonly string[]; readonly all?: true }
  /** Columns that hold nothing of a person that would have to go: numbers, times, ids, kinds, configuration. */
  readonly plain: readonly string[]
  /** The section of the export that shows it. */
  readonly export: string | null
  /** The instant from which its age counts where rows end by age. */
  readonly retention: string | null
}

type Row = {
  subject?: Table['subject']
  personal?: Personal
  named?: Table['named']
  walk?: Table['walk']
  export?: string
  retention?: string
}

const words = (text: string) => (text === '' ? [] : text.split(' '))

function table(key: string, plain: string, row: Row = {}): Table {
  const none = { subject: null, personal: null, export: null, retention: null }
  return { ...none, ...row, key: words(key), plain: words(plain) }
}

const ERASED_JOB = { put: { filter: {}, reason: '' } }

/** In the order in which the rows of a tenant are deleted. */
export const TABLES: Readonly<Record<string, Table>> = {
  account_links: table(
    'link_id',
    'token_hash purpose user_id for_tenant created_by created_at expires_at used_at',
    { retention: 'expires_at' },
  ),
  account_policies: table('', 'require_second_factor'),
  action_policies: table(
    'policy_id',
    'name status trigger department type parameters requires_approval quiet_for created_by created_at updated_at',
  ),
  actions: table(
    'action_id',
    'policy_id type status transition reason trigger_event event_id previous_score new_score previous_band new_band requested_by decided_by finished_by occurred_at created_at triggered_at finished_at expires_at attempts next_attempt_at lease_until fence',
    {
      subject: 'employee_id',
      personal: {
        parameters: EMPTY,
        note: '',
        outcome: 'the person was erased',
        outcome_note: '',
      },
      walk: { by: ['action_id'] },
      export: 'actions',
    },
  ),
  api_keys: table(
    'key_id',
    'key_hash name scopes created_by created_at expires_at last_used_at revoked_at',
  ),
  audit_entries: table(
    'seq',
    'at actor_kind actor_id action subject_kind subject_id request_id values_hash prev_hash hash',
    { subject: 'employee_id', walk: { by: ['seq'] }, export: 'audit' },
  ),
  audit_heads: table('', 'seq hash'),
  audit_values: table('seq', 'salt content', {
    subject: { of: 'audit_entries', by: ['seq'] },
    personal: 'delete',
    export: 'audit',
  }),
  band_edges: table('edges_version', 'green yellow orange red valid_from'),
  department_days: table('department day', 'counts'),
  employee_numbers: table('employee_id', 'number', { subject: 'employee_id' }),
  employee_states: table(
    'employee_id',
    'department status score band risk recovery as_of next_change_at streak_due_at next_due_at version settings_version edges_version carried_risk carried_recovery carried_as_of last_event_at last_negative_at last_streak_at reactivated_at sources past_score erased_at',
    { subject: 'employee_id', export: 'employee' },
  ),
  employees: table('employee_id', 'created_at', {
    subject: 'employee_id',
    personal: {
      email: ALIAS,
      email_key: ALIAS,
      first_name: '',
      last_name: '',
      title: '',
      location: '',
      manager_email: '',
      manager_key: '',
      search_text: '',
    },
    named: { by: 'manager_key', left: { manager_email: '', manager_key: '' } },
    export: 'employee',
  }),
  event_closings: table('', 'closed_to closing_since people days_to'),
  event_count_entries: table(
    'entry_id',
    'days types sources departments signs events counted impacts',
  ),
  event_counts: table('day type source department sign slot', 'events counted impact'),
  event_days: table('day type source sign', 'events'),
  event_marks: table('kind level block slot', 'version'),
  event_people: table('level block', 'by_type by_source by_department'),
  event_sums: table('hour grouped_by value', 'counted impact'),
  events: table(
    'event_id',
    'department type source timestamp received_at impact rules_matched cooling inert retracted_at actor sign redacted_at',
    {
      subject: 'employee_id',
      personal: { details: EMPTY, retraction: '' },
      walk: { by: ['timestamp', 'event_id'] },
      export: 'events',
      retention: 'timestamp',
    },
  ),
  external_ids: table('source external_id', 'answer', {
    subject: { of: 'events', by: ['event_id'] },
    personal: 'delete',
    export: 'events',
  }),
  idempotent_answers: table('request', 'body_hash status encrypted created_at', {
    subject: 'employee_ids',
    personal: { answer: null, location: null },
    walk: { by: ['request'] },
    retention: 'created_at',
  }),
  jobs: table(
    'job_id',
    'kind status total processed changed events cursor result failures lease_until fence requested_by created_at started_at finished_at error email_hash',
    {
      subject: 'employee_id',
      personal: { scope: ERASED_JOB },
      walk: { by: ['job_id'] },
      retention: 'created_at',
    },
  ),
  login_throttles: table('throttle', 'failures last_failed_at blocked_until', {
    retention: 'last_failed_at',
  }),
  memberships: table('user_id', 'membership_id email role status created_by created_at'),
  notification_digests: table('user_id', 'frequency told_until next_at lease_until'),
  notification_reads: table('user_id notification_id', 'read_at'),
  notifications: table(
    'notification_id',
    'kind subject_kind subject_id count data first_at last_at raised_at read_at mailed_at mail_lease_until',
    { retention: 'last_at' },
  ),
  oauth_apps: table(
    'client_id',
    'name redirect_uris scopes secret_hash created_by created_at rotated_at',
  ),
  oauth_codes: table(
    'code_hash',
    'grant_id client_id redirect_uri code_challenge expires_at used_at',
    { retention: 'expires_at' },
  ),
  oauth_grants: table(
    'grant_id',
    'client_id user_id membership_id scopes created_at expires_at last_used_at revoked_at revoked_for',
    { retention: 'expires_at' },
  ),
  oauth_tokens: table(
    'token_hash',
    'kind grant_id client_id scopes created_at expires_at used_at successor_hash revoked_at',
    { retention: 'expires_at' },
  ),
  rate_buckets: table('bucket', 'tokens updated_at'),
  recovery_codes: table('user_id code_hash', 'used_at'),
  rules: table(
    'rule_id',
    'name event_type category impact cooldown conditions priority exclusive is_default status created_at',
  ),
  score_count_entries: table('entry_id', 'days statuses departments bands scores people'),
  score_counts: table('day status band department score slot', 'people'),
  score_days: table('day', 'counts'),
  score_history: table(
    'employee_id version',
    'at score band risk recovery status department settings_version edges_version reason trigger_event event_id actor',
    { subject: 'employee_id', export: 'score_history' },
  ),
  score_marks: table('', 'past_at past_people past_points'),
  scoring_settings: table(
    'settings_version',
    'starting_score half_life_days recovery_cap valid_from',
  ),
  sessions: table(
    'session_id',
    'token_hash csrf_token user_id stage active_tenant failed_codes address device created_at last_seen_at authenticated_at expires_at',
    { retention: 'expires_at' },
  ),
  shares: table(
    'employee_id rule_id timestamp event_id from_version',
    'impact dated_at to_version ended_at ended_by folded',
    { subject: 'employee_id', export: 'shares', retention: 'timestamp' },
  ),
  unmatched_events: table(
    'unmatched_id',
    'source type employee_email timestamp details external_id received_at expires_at actor',
    {
      subject: 'email_key',
      personal: 'delete',
      export: 'unmatched_events',
      retention: 'expires_at',
    },
  ),
  usage_days: table('day', 'requests events deliveries'),
  users: table(
    'user_id',
    'email email_key status tenant_ids password_hash password_changed_at totp_secret totp_pending totp_enabled_at totp_last_step created_at last_login_at',
  ),
  webhook_attempts: table(
    'webhook_id delivery_id attempt',
    'url signature standard_signature started_at ended_at dns_ms connect_ms first_byte_ms total_ms stage response_status response_encoding response_truncated',
    {
      subject: { of: 'webhook_deliveries', by: ['webhook_id', 'delivery_id'] },
      personal: { error: null, response_headers: null, response_body: null },
      retention: 'started_at',
    },
  ),
  webhook_deliveries: table(
    'webhook_id delivery_id',
    'message_id event event_id position status attempts most_attempts next_attempt_at lease_until fence last_response_status created_at',
    {
      subject: 'employee_id',
      personal: { last_error: null },
      walk: { by: ['webhook_id', 'delivery_id'], all: true },
      export: 'messages',
      retention: 'created_at',
    },
  ),
  webhook_messages: table('message_id', '', {
    subject: { of: 'webhook_deliveries', by: ['message_id'] },
    personal: { body: '' },
    export: 'messages',
    retention: 'message_id',
  }),
  webhook_recoveries: table(
    'recovery_id',
    'webhook_id status since total processed done_to ends_at created_by created_at started_at finished_at error waits_for',
  ),
  webhooks: table(
    'webhook_id',
    'url description events status disabled_reason disabled_at grant_id secret new_secret rotation_ends_at activated_at failures first_failed_at created_by created_at updated_at',
  ),
  // Last: whoever is cut off before it finds the tenant still there.
  tenants: table(
    '',
    'name plan limits status retention_months rules_version settings_version edges_version clean_streak_days clean_streak_changed_at created_at policies_version closing_to revoke_keys_of_leavers',
  ),
}

export const listTables = (): string[] => Object.keys(TABLES)
