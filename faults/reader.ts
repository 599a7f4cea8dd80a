// Looks on during the faults: what was acknowledged is visible, nothing goes back, and the views agree.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Company } from './company.ts'
import type { Answer, Ledger } from './ledger.ts'
import type { Part, World } from './world.ts'

export type Reader = { stop(): Promise<void> }

type Sight = {
  world: World
  parts: () => readonly Part[]
  ledger: Ledger
  /** Its people are changed by this reader alone, and by time. */
  quiet: Company
  busy: Company
  turn: number
  versions: Map<string, number>
  impact: number
  total: number
}

const PAUSE_MS = 40
const GUESSES = 12
/** The pause after these is a second, and doubles. */
const FREE_GUESSES = 5

export function startReader(
  world: World,
  parts: () => readonly Part[],
  ledger: Ledger,
  { quiet, busy }: { quiet: Company; busy: Company },
): Reader {
  const sight: Sight = {
    world,
    parts,
    ledger,
    quiet,
    busy,
    turn: 0,
    versions: new Map(),
    impact: -1,
    total: 0,
  }
  const checks = [seeNewRule, seeAcknowledged, seeNoStranger, seeVersions, seeOneTruth]
  let stopping = false
  const run = async () => {
    for (let i = 0; !stopping; i++) {
      await checks[i % checks.length]!(sight)
      ledger.counts.checks += 1
      await sleep(PAUSE_MS)
    }
  }
  const running = Promise.all([run(), seeGuessesRefused(sight)])
  return {
    stop: async () => {
      stopping = true
      await running
    },
  }
}

/** The servers take turns. */
function nextPart(sight: Sight): Part {
  const parts = sight.parts()
  sight.turn += 1
  return parts[sight.turn % parts.length]!
}

/** Null unless it was answered in full. */
async function get(sight: Sight, key: string, path: string): Promise<Answer['body'] | null> {
  const answer = await sight.ledger.ask(nextPart(sight), { method: 'GET', path, key })
  return answer?.status === 200 ? answer.body : null
}

async function seeAcknowledged(sight: Sight): Promise<void> {
  const { ledger, busy } = sight
  const { acknowledged } = ledger
  for (const known of [acknowledged.at(-1), acknowledged.at(-1 - (sight.turn % 50))]) {
    if (!known) return
    const path = `/v1/events/${known.event_id}`
    // 404 is what the ledger then calls wrong.
    const body = await get(sight, busy.key, path)
    if (body && body.details?.n !== known.n) ledger.note(`${path} is not the event that was sent`)
  }
}

/** No list holds another tenant's people. */
async function seeNoStranger(sight: Sight): Promise<void> {
  const { ledger, quiet } = sight
  const list = await get(sight, quiet.key, '/v1/employees?per_page=100')
  const stranger = list?.data.find((one: { email: string }) => !one.email.endsWith(quiet.domain))
  if (stranger) ledger.note(`a list holds ${stranger.email} of another tenant`)
}

async function seeVersions({ world, busy, versions, ledger }: Sight): Promise<void> {
  const { tenant_id } = busy
  const rows = await world.context.db
    .inTenant(
      tenant_id,
      tx => tx<{ employee_id: string; version: number }[]>`
        SELECT employee_id, version FROM employee_states WHERE tenant_id = ${tenant_id} LIMIT 200`,
    )
    .catch(() => [])
  for (const { employee_id, version } of rows) {
    const before = versions.get(employee_id) ?? 0
    if (version < before) ledger.note(`${employee_id} went back from ${before} to ${version}`)
    versions.set(employee_id, version)
  }
}

type Listed = { id: string; score: number; band: string; last_event_at: string }

/** Compared only where two lists, one before and one after, show that nothing moved in between. */
async function seeOneTruth(sight: Sight): Promise<void> {
  const { ledger, quiet } = sight
  const list = () => get(sight, quiet.key, '/v1/employees?per_page=100&status=active')
  const before = await list()
  const one: Listed | undefined = before?.data[sight.turn % (before?.data.length || 1)]
  if (!one) return
  const detail = await get(sight, quiet.key, `/v1/employees/${one.id}`)
  const summary = await get(sight, quiet.key, '/v1/scores/summary')
  const after = await list()
  if (!detail || !summary || !after || picture(before) !== picture(after)) return
  if (detail.score !== one.score || detail.band !== one.band) {
    ledger.note(`${one.id}: list says ${one.score} ${one.band}, detail ${detail.score}`)
  }
  const scores = before.data.map((listed: Listed) => listed.score)
  const sum = scores.reduce((all: number, score: number) => all + score, 0)
  const average = Math.round((sum / scores.length) * 10) / 10
  if (Math.abs(summary.average_score - average) > 0.11) {
    ledger.note(`the summary says ${summary.average_score} on average, the list ${average}`)
  }
  if (summary.total_employees !== scores.length) {
    ledger.note(`the summary counts ${summary.total_employees}, the list ${scores.length}`)
  }
}

function picture(list: { data: Listed[] }): string {
  return JSON.stringify(list.data.map(one => [one.id, one.score, one.band, one.last_event_at]))
}

/** A change of a rule holds for the next event, whichever server takes it; and that event is then to be seen. */
async function seeNewRule(sight: Sight): Promise<void> {
  const { ledger, quiet } = sight
  const impact = (sight.turn % 7) - 8
  const changed = await ledger.ask(nextPart(sight), {
    method: 'PATCH',
    path: `/v1/rules/${quiet.rule_id}`,
    key: quiet.key,
    body: { impact },
  })
  if (changed?.status !== 200) {
    sight.impact = Number.NaN
    return
  }
  sight.impact = impact
  const employee_email = quiet.emails[sight.turn % quiet.emails.length]
  const body = { type: 'custom.load', employee_email, details: { seen: sight.turn } }
  const event = await ledger.ask(nextPart(sight), {
    method: 'POST',
    path: '/v1/events',
    key: quiet.key,
    body,
  })
  if (event?.status !== 201) return
  if (event.body.impact !== impact) {
    ledger.note(`a rule was set to ${impact}, the next event counted ${event.body.impact}`)
  }
  const list = await get(sight, quiet.key, '/v1/events?per_page=1')
  if (!list) return
  if (list.pagination.total < sight.total) {
    ledger.note(`there were ${sight.total} events, now ${list.pagination.total}`)
  }
  sight.total = list.pagination.total
}

/** Guessing a password is slowed down: after five failures whoever comes again before the pause is over is refused. */
async function seeGuessesRefused(sight: Sight): Promise<void> {
  const { ledger, quiet } = sight
  const body = { email: `guess@${quiet.domain}`, password: 'not the password' }
  const part = sight.parts()[0]!
  const origin = `http://127.0.0.1:${part.clients.port}`
  let failures = 0
  let before = 0
  for (let i = 0; i < GUESSES; i++) {
    const sent = Date.now()
    const answer = await ledger.ask(part, {
      method: 'POST',
      path: '/session/login',
      key: quiet.key,
      body,
      also: [401],
      headers: { origin },
    })
    if (answer?.status === 429) return
    if (answer?.status !== 401) continue
    // At most so long after the failure before, however slow the way there and back was.
    const after_ms = Date.now() - before
    if (failures >= FREE_GUESSES && after_ms < 1_000 * 2 ** (failures - FREE_GUESSES))
      return ledger.note(`a guess after ${failures} failures was judged within ${after_ms} ms`)
    failures += 1
    before = sent
  }
}
