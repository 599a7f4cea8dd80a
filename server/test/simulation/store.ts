// A database for simulations: tables in memory, transactions with private writes, and row locks held until the end.

export type Row = Record<string, any>

/** A part of a statement's work; it yields the lock it needs next and goes on when it holds it. */
export type Work = Generator<string, Row[], void>

export type Transaction = {
  readonly owner: string
  readonly writes: Map<string, Map<string, Row | null>>
  readonly locks: Set<string>
  /** The lock it waits for, while another holds it. */
  waits_for: string | null
  ended: boolean
}

/** Ways in which the model itself can be made to lie, to prove that the invariants would notice. */
export type Plants = { keep_rolled_back?: boolean; no_locks?: boolean }

const KEYS: Record<string, readonly string[]> = {
  tenants: ['tenant_id'],
  scoring_settings: ['settings_version'],
  band_edges: ['edges_version'],
  rules: ['rule_id'],
  action_policies: ['policy_id'],
  webhooks: ['webhook_id'],
  employees: ['employee_id'],
  employee_states: ['employee_id'],
  events: ['event_id'],
  shares: ['employee_id', 'rule_id', 'timestamp', 'event_id', 'from_version'],
  score_history: ['employee_id', 'version'],
  score_counts: ['day', 'status', 'department', 'band', 'score', 'slot'],
  score_count_entries: ['entry_id'],
  event_count_entries: ['entry_id'],
  idempotent_answers: ['request'],
  external_ids: ['source', 'external_id'],
  unmatched_events: ['unmatched_id'],
  actions: ['action_id'],
  webhook_messages: ['message_id'],
  webhook_deliveries: ['delivery_id'],
  notifications: ['kind', 'subject_id'],
}

export type Store = ReturnType<typeof createStore>

export function sqlError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

export function createStore(plants: Plants = {}) {
  const tables = new Map(Object.keys(KEYS).map(name => [name, new Map<string, Row>()]))
  const locks = new Map<string, Transaction>()
  let commits = 0

  function tableOf(name: string): Map<string, Row> {
    const table = tables.get(name)
    if (!table) throw new Error(`the model has no table ${name}`)
    return table
  }

  function keyOf(table: string, row: Row): string {
    const names = KEYS[table]!
    if (names.length === 1) return row[names[0]!]
    return names.map(name => text(row[name])).join('|')
  }

  function get(tx: Transaction, table: string, key: string): Row | undefined {
    const own = tx.writes.get(table)?.get(key)
    return own === undefined ? tableOf(table).get(key) : (own ?? undefined)
  }

  function put(tx: Transaction, table: string, key: string, row: Row | null): void {
    const own = tx.writes.get(table) ?? new Map<string, Row | null>()
    tx.writes.set(table, own)
    own.set(key, row)
  }

  /** What the transaction sees: what is committed, and its own writes. */
  function rows(tx: Transaction, table: string): Row[] {
    const own = tx.writes.get(table)
    const committed = tableOf(table)
    if (!own) return [...committed.values()]
    const seen = [...committed].flatMap(([key, row]) => (own.has(key) ? [] : [row]))
    return [...seen, ...[...own.values()].filter(row => row !== null)]
  }

  function begin(owner: string): Transaction {
    return { owner, writes: new Map(), locks: new Set(), waits_for: null, ended: false }
  }

  function lock(tx: Transaction, key: string): boolean {
    if (plants.no_locks) return true
    const holder = locks.get(key)
    if (holder && holder !== tx) return false
    locks.set(key, tx)
    tx.locks.add(key)
    return true
  }

  function isHeldByOther(tx: Transaction, key: string): boolean {
    const holder = locks.get(key)
    return holder !== undefined && holder !== tx
  }

  /** Whether the one that holds what `tx` waits for waits, by way of others, for `tx`. */
  function isDeadlock(tx: Transaction): boolean {
    let holder = tx.waits_for === null ? undefined : locks.get(tx.waits_for)
    for (const seen = new Set<Transaction>(); holder && !seen.has(holder); ) {
      if (holder === tx) return true
      seen.add(holder)
      holder = holder.waits_for === null ? undefined : locks.get(holder.waits_for)
    }
    return false
  }

  function apply(tx: Transaction): void {
    for (const [name, own] of tx.writes) {
      const table = tableOf(name)
      for (const [key, row] of own) {
        if (row === null) table.delete(key)
        else table.set(key, row)
      }
    }
  }

  function end(tx: Transaction): void {
    tx.ended = true
    tx.waits_for = null
    for (const key of tx.locks) locks.delete(key)
    tx.locks.clear()
  }

  return {
    plants,
    /** How many transactions were committed. */
    commits: () => commits,
    keyOf,
    get,
    put,
    rows,
    begin,
    lock,
    isHeldByOther,
    isDeadlock,
    commit(tx: Transaction): void {
      commits++
      apply(tx)
      end(tx)
    },
    rollback(tx: Transaction): void {
      if (tx.ended) return
      if (plants.keep_rolled_back) this.commit(tx)
      end(tx)
    },
    /** Outside any transaction: sets the stage, or looks at what is committed. */
    seed(table: string, row: Row): void {
      tableOf(table).set(keyOf(table, row), row)
    },
    committed(table: string): Row[] {
      return [...tableOf(table).values()]
    },
    find(table: string, key: string): Row | undefined {
      return tableOf(table).get(key)
    },
  }
}

function text(value: unknown): string {
  return value instanceof Date ? String(value.getTime()) : String(value)
}
