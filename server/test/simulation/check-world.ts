// What must hold after a simulation, whatever the seed: each fault is a sentence.
import { nextChangeAt } from '../../../scoring/next-change.ts'
import { bandOf, decayFactor, scoreAt } from '../../../scoring/state.ts'
import { dayOf, HOUR } from '../../src/platform/clock.ts'
import { judgeState } from '../../src/verify/judge-state.ts'
import { answeredEvents, type Request } from './clients.ts'
import type { Receiver } from './receiver.ts'
import type { Stage } from './stage.ts'
import type { Row, Store } from './store.ts'

/**
 * An answer tells of what is there for all to see, and a later one says the same; only who was told that nobody has the
 * address may later be told of the event that has come under the same external id.
 */
export function checkAnswer(
  store: Store,
  request: Request,
  answer: Request['answer'],
): Error | null {
  const [told, first] = [{ ...request, answer }, request].map(answeredEvents)
  for (const [i, event] of told!.entries()) {
    if (event === null) continue
    const row = store.find('events', event.id)
    if (!row) return new Error(`request ${request.id} was told of ${event.id}, which is not there`)
    const { source, external_id } = request.inputs[i]!
    const known = store.find('external_ids', store.keyOf('external_ids', { source, external_id }))
    const isRepeat = first![i] === null && known?.event_id === event.id
    if (first![i]?.id !== event.id && !isRepeat)
      return new Error(`request ${request.id} was answered in two ways`)
  }
  return null
}

export function checkWorld(
  store: Store,
  stage: Stage,
  requests: readonly Request[],
  receiver: Receiver,
): string[] {
  return [
    ...checkOnce(store, stage, requests),
    ...store
      .committed('employee_states')
      .flatMap(state => [...checkState(store, stage, state), ...checkHistory(store, stage, state)]),
    ...checkCounts(store),
    ...checkMessages(store, receiver),
    ...checkActions(store),
    ...receiver.faults,
  ]
}

/** Every event that was sent is there once, and once only, however often it was sent. */
function checkOnce(store: Store, { emails }: Stage, requests: readonly Request[]): string[] {
  const groups = new Map<string, number[]>()
  for (const { inputs } of requests) {
    for (const { external_id, details, employee_email } of inputs) {
      if (!emails.includes(employee_email)) continue
      const key = external_id ?? `n${details.n}`
      groups.set(key, [...(groups.get(key) ?? []), details.n as number])
    }
  }
  const seen = Map.groupBy(store.committed('events'), event => event.details.n)
  const wrong = [...groups].flatMap(([key, tags]) => {
    const count = tags.reduce((sum, n) => sum + (seen.get(n)?.length ?? 0), 0)
    return count === 1 ? [] : [`${key} is there ${count} times`]
  })
  const lost = Map.groupBy(store.committed('unmatched_events'), row => row.external_id)
  for (const [key, rows] of lost) {
    if (key !== null && rows.length > 1) wrong.push(`${key} of nobody is kept ${rows.length} times`)
  }
  const known = new Set([...groups.values()].flat())
  const strange = [...seen.keys()].filter(n => n !== undefined && !known.has(n))
  return [
    ...wrong,
    ...strange.map(n => `event ${n} of nobody was scored`),
    ...checkToldScores(store, requests),
  ]
}

/** What the senders were told is what the history says. */
function checkToldScores(store: Store, requests: readonly Request[]): string[] {
  const steps = new Map(store.committed('score_history').map(row => [row.event_id, row]))
  return requests.flatMap(answeredEvents).flatMap(event => {
    if (event === null) return []
    const step = steps.get(event.id)
    const [impact, score] = [
      store.find('events', event.id)?.impact,
      step?.score ?? event.score_before,
    ]
    if (impact === event.impact && score === event.score_after) return []
    return [`${event.id} was told as ${event.impact}, ${event.score_after}`]
  })
}

function checkState(store: Store, { basis }: Stage, state: Row): string[] {
  const { employee_id } = state
  const shares = store.committed('shares').filter(s => s.employee_id === employee_id)
  const history = historyOf(store, employee_id)
  const row = { ...state, created_at: store.find('employees', employee_id)!.created_at }
  const dated = shares.map(({ impact, dated_at }) => ({ impact, dated_at: dated_at.getTime() }))
  return judgeState(row as never, dated, history.at(-1) as never, undefined, basis)
}

function historyOf(store: Store, employee_id: string): Row[] {
  const own = store.committed('score_history').filter(row => row.employee_id === employee_id)
  return own.sort((a, b) => a.version - b.version)
}

/** Versions without gaps; nothing that fell due was passed over or dated otherwise; each row is the closed form. */
function checkHistory(store: Store, { basis }: Stage, { employee_id }: Row): string[] {
  const history = historyOf(store, employee_id)
  const shares = store.committed('shares').filter(s => s.employee_id === employee_id)
  const settings = basis.settingsOf(1)
  return history.flatMap((row, i) => {
    const faults: string[] = []
    const demand = (holds: boolean, what: string) => {
      if (!holds) faults.push(`${employee_id} version ${row.version}: ${what}`)
    }
    const at = row.at.getTime()
    demand(row.version === i + 1, 'the versions have a gap')
    const state = { risk: 0, recovery: 0, as_of: at }
    for (const { impact, dated_at, from_version } of shares) {
      if (from_version > row.version) continue
      const worth = impact * decayFactor(settings, dated_at.getTime(), at)
      state[impact < 0 ? 'risk' : 'recovery'] += worth
    }
    demand(row.score === scoreAt(state, settings), `score ${row.score} is not the closed form`)
    demand(row.band === bandOf(row.score, basis.edges), 'the band is not that of the score')
    const before = history[i - 1]
    if (!before) return faults
    const last = { ...before, as_of: before.at.getTime() } as never as typeof state
    const due = nextChangeAt(last, settings) ?? Number.POSITIVE_INFINITY
    demand(at >= last.as_of, 'it is dated before the one before')
    demand(due >= at, 'a due change was passed over')
    if (row.reason === 'decay') demand(due === at, 'it fell due at another instant')
    return faults
  })
}

function checkCounts(store: Store): string[] {
  const people = tally(store.committed('employee_states'), cellOfPerson, () => 1)
  const moves = unpack(store.committed('score_count_entries'), {
    status: 'statuses',
    department: 'departments',
    band: 'bands',
    score: 'scores',
    people: 'people',
  })
  const seeded = store.committed('score_counts')
  const moved = tally([...seeded, ...moves], cellOfPerson, row => row.people)
  const cellOfEvent = ({ day, timestamp, type, source, department, sign, impact }: Row) =>
    [day ?? dayOf(timestamp.getTime()), type, source, department, sign ?? Math.sign(impact)].join()
  const counts = unpack(store.committed('event_count_entries'), {
    day: 'days',
    type: 'types',
    source: 'sources',
    department: 'departments',
    sign: 'signs',
    events: 'events',
    impact: 'impacts',
  })
  const events = store.committed('events')
  return [
    ...differ('people', people, moved),
    ...differ(
      'events',
      tally(events, cellOfEvent, () => 1),
      tally(counts, cellOfEvent, c => c.events),
    ),
    ...differ(
      'impact',
      tally(events, cellOfEvent, e => e.impact),
      tally(counts, cellOfEvent, c => c.impact),
    ),
  ]
}

/** A row for each cell of the entries. */
function unpack(entries: readonly Row[], lists: Record<string, string>): Row[] {
  const names = Object.entries(lists)
  return entries.flatMap(entry =>
    (entry.departments as unknown[]).map((_, i) =>
      Object.fromEntries(names.map(([name, list]) => [name, entry[list][i]])),
    ),
  )
}

const cellOfPerson = ({ status, department, band, score }: Row) =>
  [status, department, band, score].join()

function tally(rows: readonly Row[], key: (row: Row) => string, value: (row: Row) => number) {
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(key(row), (sums.get(key(row)) ?? 0) + value(row))
  return new Map([...sums].filter(([, sum]) => sum !== 0))
}

function differ(what: string, one: Map<string, number>, other: Map<string, number>): string[] {
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter(key => one.get(key) !== other.get(key))
    .map(key => `${what} ${key}: ${one.get(key) ?? 0}, counted ${other.get(key) ?? 0}`)
}

/** Each change was told once, the last of them last. */
function checkMessages(store: Store, { bodies, scores }: Receiver): string[] {
  const told = tally(
    bodies,
    body => body.event,
    () => 1,
  )
  const history = store.committed('score_history')
  const after = new Map(history.map(row => [`${row.employee_id} ${row.version}`, row]))
  const changed = (name: string) =>
    history.filter(row => {
      const before = after.get(`${row.employee_id} ${row.version - 1}`)
      return before !== undefined && before[name] !== row[name]
    }).length
  const expected = new Map(
    Object.entries({
      'event.ingested': store.committed('events').length,
      'score.updated': changed('score'),
      'score.band_changed': changed('band'),
      'action.triggered': store.committed('actions').filter(a => a.status === 'triggered').length,
    }).filter(([, count]) => count > 0),
  )
  const wrong = store
    .committed('employee_states')
    .filter(row => scores.has(row.employee_id) && scores.get(row.employee_id) !== row.score)
  return [
    ...differ('messages', expected, told),
    ...wrong.map(
      row => `${row.employee_id} has ${row.score}, last told ${scores.get(row.employee_id)}`,
    ),
  ]
}

/** Entering critical always acts; anything else rests for a day. */
function checkActions(store: Store): string[] {
  const actions = store.committed('actions')
  const history = store.committed('score_history')
  const entered = history.filter(({ employee_id, version, band }) => {
    const before = store.find('score_history', `${employee_id}|${version - 1}`)
    return band === 'critical' && before !== undefined && before.band !== 'critical'
  })
  const faults: string[] = []
  const acted = actions.filter(action => action.transition === 'band:critical')
  if (acted.length !== entered.length) {
    faults.push(`critical was entered ${entered.length} times, acted on ${acted.length} times`)
  }
  const [notice] = store.committed('notifications').filter(row => row.kind === 'employee.critical')
  if ((notice?.count ?? 0) !== entered.length) faults.push('the notices miscount who is critical')
  const keyOf = (a: Row) => [a.policy_id, a.employee_id, a.transition].join()
  for (const [key, own] of Map.groupBy(actions, keyOf)) {
    if (key.endsWith('band:critical')) continue
    const times = own.map(one => one.occurred_at.getTime()).sort((a, b) => a - b)
    if (times.some((at, i) => i > 0 && at - times[i - 1]! < 24 * HOUR)) {
      faults.push(`${key} did not rest`)
    }
  }
  return faults
}
