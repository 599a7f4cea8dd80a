// The way of every event: one transaction for events, shares, state, history, cooldowns and what is told of them.
import type { RuleBook } from '../../../scoring/rules.ts'
import { decideActions } from '../actions/decide-actions.ts'
import { settleChanges } from '../actions/settle-changes.ts'
import { emailKey } from '../employees/email-address.ts'
import { listForgotten } from '../employees/forgotten-addresses.ts'
import type { Standing } from '../employees/standing.ts'
import { lockStandingsByEmail } from '../employees/standings.queries.ts'
import { type Answer, claim, type Repeatable, settle } from '../idempotency/answer-once.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { ApiError, Fault } from '../platform/errors.ts'
import { inPauses } from '../platform/in-pauses.ts'
import { step } from '../platform/steps.ts'
import { sendOff } from '../platform/write-together.ts'
import { judgeEvents } from '../rules/judge-events.ts'
import { readRuleBook } from '../rules/rule-book.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { type Audience, readAudience } from '../webhooks/announce.ts'
import { askEarly, type Early, type JudgedEarly } from './ask-early.ts'
import { countEvents } from './event-counts.queries.ts'
import { type EventInput, oldestTimestamp } from './event-input.ts'
import { firingQuestions, streakQuestions } from './firing-questions.ts'
import {
  boundLocks,
  claimExternalIds,
  externalKey,
  insertEvents,
  insertShares,
  readExternalAnswers,
  readFirings,
  saveExternalAnswers,
} from './ingest.queries.ts'
import { markChanged } from './marks.queries.ts'
import { FREE, type Hand } from './people-in-hand.ts'
import { type Batch, openBatch, refreshStreaks, type Submitted, scoreEvent } from './score-batch.ts'
import { emailsOf, type Incoming, keysOf, scoreInTurns, type Turn } from './score-in-turns.ts'
import { type EventAnswer, eventAnswer } from './scored-event.ts'
import { dropMatched, keepUnmatched, recallUnmatched } from './unmatched.queries.ts'

/** What became of one event. */
export type Outcome =
  | { kind: 'scored'; event: EventAnswer }
  | { kind: 'repeated'; event: EventAnswer }
  | { kind: 'unknown_employee'; kept: boolean }
  | { kind: 'invalid'; faults: Fault[] }

/** Events of one request: they share a transaction, an actor and, where given, an Idempotency-Key. */
export type Submission = {
  inputs: readonly EventInput[]
  actor: string
  repeatable: Repeatable
  /** The HTTP answer these outcomes make; saved in the same transaction for a repeat. */
  answer(outcomes: readonly Outcome[]): Answer
}

/** What a submission holds while it is under way. */
export function wantedBy({ inputs, repeatable }: Submission): string[] {
  return [...inputs.flatMap(keysOf), ...(repeatable ? [repeatable.request] : [])]
}

/** Invariant: everything a bad event could break is checked before or refused here, never by the database. */
export async function ingestTogether(
  context: Context,
  tenant_id: string,
  submissions: readonly Submission[],
  hand: Hand = FREE,
  early: JudgedEarly | null = null,
): Promise<(Answer | ApiError)[]> {
  const now = context.clock.now()
  const work = async (tx: Tx) => {
    // Of several each has others beside it that need not wait for its people.
    if (submissions.length > 1 && !hand.isPatient) sendOff(boundLocks(tx))
    if (submissions.some(one => hand.held.has(one.repeatable?.request ?? ''))) await hand.over()
    const { fresh, answers } = await claimSubmissions(tx, tenant_id, submissions, now)
    step('ingest.begun')
    const incoming: Incoming[] = fresh.flatMap(({ inputs, actor, repeatable }) =>
      inputs.map(input => ({ input, actor, repeatable })),
    )
    const inputs = await recallUnmatched(tx, tenant_id, now, incoming)
    const outcomes = await scoreInTurns(tx, tenant_id, inputs, hand, (some, turn) =>
      scoreInputs(context, tx, tenant_id, some, now, early, turn),
    )
    const saved: { request: string; answer: Answer }[] = []
    for (const submission of fresh) {
      const answer = submission.answer(outcomes.splice(0, submission.inputs.length))
      answers.set(submission, answer)
      if (submission.repeatable) saved.push({ request: submission.repeatable.request, answer })
    }
    await settle(tx, tenant_id, saved)
    step('ingest.saved')
    return submissions.map(one => answers.get(one)!)
  }
  return context.db.inTenant(tenant_id, work)
}

/** Sets aside what an earlier request answers. Invariant: no two of a group have the same Idempotency-Key. */
async function claimSubmissions(
  tx: Tx,
  tenant_id: string,
  submissions: readonly Submission[],
  now: Instant,
) {
  const wanted = submissions.flatMap(one => one.repeatable ?? [])
  const { earlier } = await claim(tx, tenant_id, wanted, now)
  const answers = new Map<Submission, Answer | ApiError>()
  for (const one of submissions) {
    const answer = one.repeatable && earlier.get(one.repeatable.request)
    if (answer) answers.set(one, answer)
  }
  return { fresh: submissions.filter(one => !answers.has(one)), answers }
}

async function scoreInputs(
  context: Context,
  tx: Tx,
  tenant_id: string,
  incoming: readonly Incoming[],
  now: Instant,
  judgedEarly: JudgedEarly | null,
  { locked, turn }: Turn = {},
): Promise<Outcome[]> {
  if (incoming.length === 0) return []
  // Read under the lock: whoever changed an employee's settings before us is seen here too.
  const [standings, basis, early] = await Promise.all([
    lockStandingsByEmail(tx, tenant_id, emailsOf(incoming)),
    readScoringBasis(tx, tenant_id),
    askEarly(tx, tenant_id, incoming, now, judgedEarly),
  ])
  locked?.()
  step('ingest.locked')
  const oldest = oldestTimestamp(now, basis.retention_months)
  const judged = incoming.map(one => judge(one, standings, oldest, now))
  // What has passed the edge of retention since it was taken, or names nobody now, is repeated too, but claims no id.
  // Invariant: asked before ids are claimed, since one that is just claimed has no answer yet.
  const passed = await readExternalAnswers(
    tx,
    tenant_id,
    idsOf(judged.filter(one => !one.standing)),
  )
  const taken = await claimExternalIds(tx, tenant_id, idsOf(judged.filter(one => one.standing)))
  const live = judged.filter(one => one.standing && !taken.has(one.external ?? ''))
  const people = live.map(one => one.standing!.employee_id)
  const [batch, audience] = await Promise.all([
    prepare(tx, tenant_id, basis, live, now, judgedEarly, early),
    early?.audience ?? readAudience(tx, tenant_id, people),
  ])
  const answers = new Map([...passed, ...taken])
  const outcomes = await inPauses(judged, one => scoreOne(batch, one, answers))
  const fresh = live.flatMap(one => {
    const answer = one.external === null ? undefined : answers.get(one.external)
    return answer ? idsOf([one]).map(id => ({ ...id, answer })) : []
  })
  step('ingest.scored')
  if (live.length > 0) await writeBatch(tx, tenant_id, batch, { audience, turn })
  step('ingest.written')
  await Promise.all([
    saveExternalAnswers(tx, tenant_id, fresh),
    dropMatched(
      tx,
      tenant_id,
      now,
      judged.filter(one => one.standing),
    ),
  ])
  const lost = judged.filter(
    (one, i) => outcomes[i]!.kind === 'unknown_employee' && one.input.keep_unmatched,
  )
  const forgotten = await listForgotten(context, tx, tenant_id, emailsOf(lost))
  const isForgotten = ({ input }: Incoming) => forgotten.has(emailKey(input.employee_email))
  await keepUnmatched(
    tx,
    tenant_id,
    now,
    lost.filter(one => !isForgotten(one)),
  )
  return outcomes.map((outcome, i) =>
    outcome.kind === 'unknown_employee' && isForgotten(judged[i]!)
      ? { ...outcome, kept: false }
      : outcome,
  )
}

type Judged = Incoming & {
  standing: Standing | undefined
  faults: Fault[] | null
  submitted: Submitted
  /** Source and external id as one key, or null. */
  external: string | null
}

function judge(
  incoming: Incoming,
  standings: ReadonlyMap<string, Standing>,
  oldest: Instant,
  now: Instant,
): Judged {
  const { input, actor } = incoming
  const { type, source, details } = input
  const timestamp = input.timestamp ?? now
  const faults = timestamp < oldest ? [tooOld(oldest)] : null
  const standing = faults ? undefined : standings.get(emailKey(input.employee_email))
  const submitted = { type, source, timestamp, details, actor }
  const [id] = idsOf([incoming])
  const external = id ? externalKey(id) : null
  return { ...incoming, standing, faults, submitted, external }
}

function tooOld(oldest: Instant): Fault {
  const first = new Date(oldest).toISOString()
  return { path: 'timestamp', message: `must not be before ${first}, the end of retention` }
}

function idsOf(incoming: readonly Incoming[]) {
  return incoming.flatMap(({ input: { source, external_id }, known_as }) => {
    const id = external_id ?? known_as
    return id === undefined ? [] : [{ source, external_id: id }]
  })
}

async function prepare(
  tx: Tx,
  tenant_id: string,
  basis: ScoringBasis,
  live: readonly Judged[],
  now: Instant,
  judgedEarly: JudgedEarly | null,
  early: Early | null,
): Promise<Batch> {
  const book = await readRuleBook(tx, tenant_id, basis.rules_version)
  const batch = openBatch(basis, book, now)
  await judgeByRules(book, live, judgedEarly)
  const standings = live.map(one => one.standing!)
  refreshStreaks(batch, standings)
  const streaks = standings.flatMap(standing => streakQuestions(book, basis, standing, now))
  if (early?.book === book && streaks.length === 0) {
    batch.firings = early.firings
    return batch
  }
  const own = live.flatMap(({ standing, submitted: { meant, timestamp } }) =>
    firingQuestions(meant!, standing!.employee_id, timestamp, now),
  )
  batch.firings = await readFirings(tx, tenant_id, [...own, ...streaks])
  return batch
}

/** By the rules in force; what was judged by them before is not judged again. */
async function judgeByRules(book: RuleBook, live: readonly Judged[], early: JudgedEarly | null) {
  const judged =
    early?.book === book
      ? live.map(one => early.meant.get(one.input)!)
      : await judgeEvents(
          book,
          live.map(one => one.submitted),
        )
  for (const [i, { submitted }] of live.entries()) submitted.meant = judged[i]!
}

function scoreOne(batch: Batch, one: Judged, answers: Map<string, EventAnswer>): Outcome {
  const earlier = one.external === null ? undefined : answers.get(one.external)
  if (earlier) return { kind: 'repeated', event: earlier }
  if (one.faults) return { kind: 'invalid', faults: one.faults }
  if (!one.standing) return { kind: 'unknown_employee', kept: one.input.keep_unmatched }
  const event = eventAnswer(scoreEvent(batch, one.standing, one.submitted))
  if (one.external !== null) answers.set(one.external, event)
  return { kind: 'scored', event }
}

export type WriteOptions = {
  audience?: Audience
  turn?: (() => Promise<void>) | undefined
  redone?: boolean
}

/** Writes what a batch adds up to. */
export async function writeBatch(
  tx: Tx,
  tenant_id: string,
  batch: Batch,
  { audience, turn, redone = false }: WriteOptions = {},
): Promise<void> {
  const { events, shares, steps, messages, touched, now, basis } = batch
  const actions = await decideActions(tx, tenant_id, now, basis, touched, steps, events)
  const counted = events.map(event => ({ ...event, events: 1, counted: 1 }))
  await settleChanges(tx, tenant_id, now, {
    standings: [...touched],
    steps,
    messages,
    actions,
    ...(audience && { audience }),
    ...(turn && { turn }),
    redone,
    rows: [insertEvents(tx, tenant_id, events), insertShares(tx, tenant_id, shares)],
    shared: [
      markChanged(tx, tenant_id, basis.closing_to, events),
      countEvents(tx, tenant_id, now, counted),
    ],
  })
}
