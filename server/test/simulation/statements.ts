// Every statement of ingestion, due changes and what follows from them, as the model carries it out.
// Invariant: a text that is not known here is an error, so that no new statement passes unseen.
import type { Row, Store, Transaction, Work } from './store.ts'
import { flatten, isQuery, type Query, takeApart } from './tagged.ts'
import { readWrite, type Write } from './writes.ts'

type Values = readonly any[]
type Read = (store: Store, tx: Transaction, values: Values) => Row[]

const read = (look: Read): Write =>
  // biome-ignore lint/correctness/useYield: a plain read needs no lock.
  function* (store, tx, values) {
    return look(store, tx, values)
  }

const nothing = read(() => [])
const all = (table: string) => read((store, tx) => store.rows(tx, table))
const by = (name: string) => (a: Row, b: Row) => a[name] - b[name]

function* lockStates(
  store: Store,
  tx: Transaction,
  isWanted: (person: Row) => boolean,
  stillHolds: (state: Row) => boolean,
): Work {
  const people = store.rows(tx, 'employees').filter(isWanted)
  people.sort((a, b) => (a.employee_id < b.employee_id ? -1 : 1))
  const locked: Row[] = []
  for (const person of people) {
    if (!stillHolds(store.get(tx, 'employee_states', person.employee_id)!)) continue
    yield `employee_states ${person.employee_id}`
    // Judged anew after a wait, by what the holder left.
    const state = store.get(tx, 'employee_states', person.employee_id)!
    if (!stillHolds(state)) continue
    const { email, email_key, created_at } = person
    locked.push({ ...state, email, email_key, created_at, erased: state.erased_at !== null })
  }
  return locked
}

const isDue = (now: number) => (row: Row) => row.next_due_at && row.next_due_at <= now

function listDue(store: Store, tx: Transaction, [, now, limit]: Values): Row[] {
  const due = store.rows(tx, 'employee_states').filter(isDue(now)).sort(by('next_due_at'))
  const ids = due.slice(0, limit).map(row => row.employee_id)
  return [{ ids: ids.length > 0 ? ids.join(',') : null }]
}

function* lockDue(store: Store, tx: Transaction, [, , ids, now]: Values): Work {
  const due = store
    .rows(tx, 'employee_states')
    .filter(row => ids.includes(row.employee_id))
    .filter(isDue(now))
    .filter(row => !store.isHeldByOther(tx, `employee_states ${row.employee_id}`))
  for (const row of due) yield `employee_states ${row.employee_id}`
  return due.map(row => {
    const { email, created_at } = store.get(tx, 'employees', row.employee_id)!
    return { ...row, email, created_at, erased: row.erased_at !== null }
  })
}

/** A column to each name. */
function addEntry(table: string, names: string): Write {
  const columns = ['entry_id', ...names.split(' ')]
  return read((store, tx, values) => {
    const row = Object.fromEntries(columns.map((name, i) => [name, values[i]]))
    store.put(tx, table, row.entry_id, row)
    return []
  })
}

function* deleteAnswers(store: Store, tx: Transaction, isMeant: (row: Row) => boolean): Work {
  for (const row of store.rows(tx, 'idempotent_answers').filter(isMeant)) {
    const key = store.keyOf('idempotent_answers', row)
    yield `idempotent_answers ${key}`
    const now = store.get(tx, 'idempotent_answers', key)
    if (now && isMeant(now)) store.put(tx, 'idempotent_answers', key, null)
  }
  return []
}

function* keepUnmatched(store: Store, tx: Transaction, values: Values): Work {
  const [unmatched_id, source, type, employee_email, timestamp, details, external_id] = values
  const [received_at, expires_at, actor] = values.slice(7)
  const now = values.at(-1)
  const about = { unmatched_id, source, type, employee_email, timestamp, details, external_id }
  yield `unmatched_events ${unmatched_id}`
  const before = store.get(tx, 'unmatched_events', unmatched_id)
  if (before && before.expires_at > now) return []
  store.put(tx, 'unmatched_events', unmatched_id, { ...about, received_at, expires_at, actor })
  return []
}

function* dropMatched(store: Store, tx: Transaction, [, names]: Values): Work {
  for (const name of names) {
    if (!store.get(tx, 'unmatched_events', name)) continue
    yield `unmatched_events ${name}`
    store.put(tx, 'unmatched_events', name, null)
  }
  return []
}

const idOf = (store: Store, tx: Transaction, email_key: string): string | undefined =>
  store.rows(tx, 'employees').find(person => person.email_key === email_key)?.employee_id

const readFirings: Read = (store, tx, [employees, rules, after, before]) =>
  employees.flatMap((employee_id: string, i: number) =>
    store
      .rows(tx, 'shares')
      .filter(s => s.employee_id === employee_id && s.rule_id === rules[i])
      .filter(s => s.timestamp > after[i] && s.timestamp < before[i] && s.to_version == null)
      .map(({ timestamp }) => ({ employee_id, rule_id: rules[i], timestamp })),
  )

const readFiringsByEmail: Read = (store, tx, [emails, ...rest]) =>
  readFirings(store, tx, [emails.map((email: string) => idOf(store, tx, email)), ...rest])

const listListeners: Read = (store, tx, [employees]) =>
  store.rows(tx, 'webhooks').map(webhook => {
    const waiting = store
      .rows(tx, 'webhook_deliveries')
      .filter(d => d.webhook_id === webhook.webhook_id && d.status === 'pending')
      .filter(d => employees.includes(d.employee_id))
      .sort(by('position'))
    const positions = Object.fromEntries(waiting.map(d => [d.employee_id, d.position]))
    return { ...webhook, positions: waiting.length ? positions : null }
  })

const listListenersByEmail: Read = (store, tx, [, emails]) =>
  listListeners(store, tx, [emails.map((email: string) => idOf(store, tx, email))])

const highestScores: Read = (store, tx, values) => {
  const [, , employees, since, before] = values
  return employees.map((employee_id: string, i: number) => {
    const own = store.rows(tx, 'score_history').filter(h => h.employee_id === employee_id)
    const held = own.filter(h => h.at <= since[i]).sort(by('version'))
    const from = held.at(-1)?.version ?? 0
    const scores = own.filter(h => h.version >= from && h.version < before[i]).map(h => h.score)
    return { place: i + 1, highest: scores.length ? Math.max(...scores) : null }
  })
}

const lastActed: Read = (store, tx, [policies, employees, transitions]) =>
  policies.flatMap((policy_id: string, i: number) => {
    const [employee_id, transition] = [employees[i], transitions[i]]
    const own = store
      .rows(tx, 'actions')
      .filter(a => a.policy_id === policy_id && a.employee_id === employee_id)
      .filter(a => a.transition === transition)
      .sort(by('occurred_at'))
    const last = own.at(-1)
    return last ? [{ policy_id, employee_id, transition, occurred_at: last.occurred_at }] : []
  })

const externalAnswers: Read = (store, tx, [sources, ids]) =>
  sources.flatMap((source: string, i: number) => {
    const row = store.get(
      tx,
      'external_ids',
      store.keyOf('external_ids', { source, external_id: ids[i] }),
    )
    return row ? [row] : []
  })

const recalled: Read = (store, tx, [names, sources]) =>
  names.flatMap((name: string, i: number) => {
    const id = store.keyOf('external_ids', { source: sources[i], external_id: name })
    const isKnown = store.get(tx, 'unmatched_events', name) ?? store.get(tx, 'external_ids', id)
    return isKnown ? [{ name }] : []
  })

const STATES =
  'employees e JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id WHERE e.tenant_id = $ AND s.tenant_id = $'
const PROFILED =
  'employee_states s CROSS JOIN LATERAL (SELECT e.email, e.created_at FROM employees e WHERE e.tenant_id = $ AND e.employee_id = s.employee_id OFFSET 0) e WHERE s.tenant_id = $'

const QUESTIONS =
  'unnest($::text[], $::text[], $::timestamptz[], $::timestamptz[]) AS u(who, rule_id, after, before)'

const firingsOf = (employee: string) =>
  `CROSS JOIN LATERAL (SELECT s.timestamp FROM shares s WHERE s.tenant_id = $ AND s.employee_id = ${employee} AND s.rule_id = u.rule_id AND s.timestamp > u.after AND s.timestamp < u.before AND s.to_version IS NULL LIMIT $::int) f`

const listenersFor = (people: string) =>
  `SELECT w.webhook_id, w.events, w.status, ( SELECT json_object_agg(p.employee_id, l.position) FROM (${people}) AS p CROSS JOIN LATERAL ( SELECT d.position FROM webhook_deliveries d WHERE d.tenant_id = $ AND d.employee_id = p.employee_id AND d.webhook_id = w.webhook_id AND d.status = 'pending' ORDER BY d.position DESC LIMIT 1) l) AS positions FROM webhooks w WHERE w.tenant_id = $ AND w.status <> 'deleted'`

/** By what follows the list of columns; where that list holds more than names, by the whole text. */
const KNOWN: Record<string, Write> = {
  "SET LOCAL lock_timeout = '1s'": nothing,
  'SET LOCAL synchronous_commit = off': nothing,
  'SELECT 1': nothing,
  'pg_notify FROM tenants tn WHERE tn.tenant_id = $': nothing,
  'FROM tenants WHERE tenant_id = $': all('tenants'),
  'FROM scoring_settings WHERE tenant_id = $ ORDER BY settings_version': all('scoring_settings'),
  'FROM band_edges WHERE tenant_id = $ ORDER BY edges_version': all('band_edges'),
  "FROM rules WHERE tenant_id = $ AND status = 'active' ORDER BY priority DESC, created_at, rule_id":
    read((store, tx) => store.rows(tx, 'rules').filter(rule => rule.status === 'active')),
  'FROM action_policies WHERE tenant_id = $ ORDER BY policy_id': all('action_policies'),
  [`FROM ${STATES} AND e.email_key = ANY($::text[]) AND s.erased_at IS NULL ORDER BY s.employee_id FOR UPDATE OF s`]:
    (store, tx, [, , keys]: Values) => {
      const isWanted = (person: Row) => keys.includes(person.email_key)
      return lockStates(store, tx, isWanted, state => state.erased_at === null)
    },
  [`FROM ${PROFILED} AND s.employee_id = ANY($::text[]) ORDER BY s.employee_id FOR UPDATE OF s`]: (
    store,
    tx,
    [, , ids]: Values,
  ) =>
    lockStates(
      store,
      tx,
      person => ids.includes(person.employee_id),
      () => true,
    ),
  "SELECT string_agg(d.employee_id, ',') AS ids FROM (SELECT s.employee_id FROM employee_states s WHERE s.tenant_id = $ AND s.next_due_at <= $ ORDER BY s.next_due_at LIMIT $) d":
    read(listDue),
  [`FROM ${PROFILED} AND s.employee_id = ANY($::text[]) AND s.next_due_at <= $ FOR UPDATE OF s SKIP LOCKED`]:
    lockDue,
  "FROM tenants t WHERE t.tenant_id > $ AND t.status <> 'deleting' AND EXISTS ( SELECT 1 FROM employee_states s WHERE s.tenant_id = t.tenant_id AND s.next_due_at <= $) ORDER BY t.tenant_id LIMIT $":
    read((store, tx, [, now]) =>
      store.rows(tx, 'employee_states').some(isDue(now)) ? store.rows(tx, 'tenants') : [],
    ),
  [`FROM ${QUESTIONS} ${firingsOf('u.who')}`]: read(readFirings),
  [`FROM ${QUESTIONS} JOIN employees e ON e.tenant_id = $ AND e.email_key = u.who ${firingsOf('e.employee_id')}`]:
    read(readFiringsByEmail),
  [listenersFor('SELECT unnest($::text[]) AS employee_id')]: read(listListeners),
  [listenersFor(
    'SELECT e.employee_id FROM employees e WHERE e.tenant_id = $ AND e.email_key = ANY($::text[])',
  )]: read(listListenersByEmail),
  'FROM unnest($::text[], $::text[], $::text[]) AS u(policy_id, employee_id, transition) CROSS JOIN LATERAL (SELECT a.occurred_at FROM actions a WHERE a.tenant_id = $ AND a.policy_id = u.policy_id AND a.employee_id = u.employee_id AND a.transition = u.transition ORDER BY a.occurred_at DESC LIMIT 1) l':
    read(lastActed),
  'FROM idempotent_answers WHERE tenant_id = $ AND request = ANY($::text[])': read(
    (store, tx, [, requests]) =>
      store.rows(tx, 'idempotent_answers').filter(row => requests.includes(row.request)),
  ),
  'DELETE FROM idempotent_answers WHERE tenant_id = $ AND request = ANY($::text[])': (
    store,
    tx,
    [, requests]: Values,
  ) => deleteAnswers(store, tx, row => requests.includes(row.request)),
  'DELETE FROM idempotent_answers WHERE tenant_id = $ AND request = ANY($::text[]) AND created_at < $':
    (store, tx, [, requests, before]: Values) =>
      deleteAnswers(store, tx, row => requests.includes(row.request) && row.created_at < before),
  'FROM unnest($::text[], $::text[]) AS u(source, external_id) JOIN external_ids x ON x.tenant_id = $ AND x.source = u.source AND x.external_id = u.external_id':
    read(externalAnswers),
  'FROM unnest($::text[], $::text[]) AS u(name, source) WHERE EXISTS (SELECT 1 FROM unmatched_events o WHERE o.tenant_id = $ AND o.unmatched_id = u.name) OR EXISTS (SELECT 1 FROM external_ids x WHERE x.tenant_id = $ AND x.source = u.source AND x.external_id = u.name)':
    read(recalled),
  'DELETE FROM unmatched_events WHERE tenant_id = $ AND unmatched_id = ANY($::text[])': dropMatched,
  'FROM jobs WHERE tenant_id = $ AND email_hash = ANY($::bytea[])': nothing,
  'INSERT INTO unmatched_events AS x (tenant_id, unmatched_id, source, type, employee_email, timestamp, details, external_id, received_at, expires_at, actor, email_key) SELECT tn.tenant_id, $, $, $, $, $::timestamptz, $::text::jsonb, $::text, $::timestamptz, $::timestamptz, $, $ FROM tenants tn WHERE tn.tenant_id = $ ON CONFLICT (tenant_id, unmatched_id) DO UPDATE SET type = EXCLUDED.type, employee_email = EXCLUDED.employee_email, email_key = EXCLUDED.email_key, timestamp = EXCLUDED.timestamp, details = EXCLUDED.details, received_at = EXCLUDED.received_at, expires_at = EXCLUDED.expires_at, actor = EXCLUDED.actor WHERE x.expires_at <= $':
    keepUnmatched,
}

/** Of these the beginning is enough. */
const BEGINNINGS: [string, Write][] = [
  [
    'INSERT INTO score_count_entries AS x ',
    addEntry('score_count_entries', 'days statuses departments bands scores people'),
  ],
  [
    'INSERT INTO event_count_entries AS x ',
    addEntry('event_count_entries', 'days types sources departments signs events counted impacts'),
  ],
  ['SELECT u.place, ( SELECT max(h.score) FROM score_history h WHERE ', read(highestScores)],
]

const writes = new Map<string, Write>()
const texts = new WeakMap<readonly string[], string>()

/** The work of a statement; one that `writeTogether` made of several does theirs in turn. */
export function* perform(store: Store, tx: Transaction, query: Query): Work {
  const parts = takeApart(query)
  if (!parts) return yield* performOne(store, tx, query)
  for (const part of parts) yield* performOne(store, tx, part)
  return []
}

function performOne(store: Store, tx: Transaction, query: Query): Work {
  const known = texts.get(query.strings)
  if (known !== undefined) return findWrite(known)(store, tx, query.values)
  const { text, values } = flatten(query)
  if (!query.values.some(isQuery)) texts.set(query.strings, text)
  return findWrite(text)(store, tx, values)
}

function findWrite(text: string): Write {
  let write = writes.get(text)
  if (!write) {
    const begun = BEGINNINGS.find(([beginning]) => text.startsWith(beginning))?.[1]
    write = KNOWN[text] ?? KNOWN[withoutColumns(text)] ?? begun ?? readWrite(text) ?? undefined
    if (!write) throw new Error(`statements.ts of the simulation does not know this one: ${text}`)
    writes.set(text, write)
  }
  return write
}

function withoutColumns(text: string): string {
  const [, columns, rest] = /^SELECT (.*?) (FROM .*)$/.exec(text) ?? []
  if (!columns || !rest) return text
  if (columns.startsWith('pg_notify(')) return `pg_notify ${rest}`
  return columns.includes('(') ? text : rest
}
