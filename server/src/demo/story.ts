// What happens at the demo company, day by day: a bad month, then slow improvement; one department worse than the rest.
import { DAY, HOUR, type Instant, MINUTE } from '../platform/clock.ts'
import type { Person } from './company.ts'
import { CAMPAIGNS, type Happening, INCIDENTS, TRAININGS } from './happenings.ts'
import { between, pick, type Random } from './random.ts'

const STORY_DAYS = 180

export type StoryEvent = {
  readonly type: string
  readonly source: string
  readonly employee_email: string
  readonly timestamp: Instant
  readonly details: Record<string, unknown>
}

/** A day's events, in the order they happened, and the instant by which all of them have. */
export type StoryDay = { readonly at: Instant; readonly events: readonly StoryEvent[] }

type Telling = {
  readonly random: Random
  readonly now: Instant
  readonly first: Instant
  events: StoryEvent[]
}

/** Everyone is there before the first thing happens. */
export function startOfStory(now: Instant): Instant {
  return firstDay(now) - 15 * HOUR
}

function firstDay(now: Instant): Instant {
  return Math.floor(now / DAY) * DAY - STORY_DAYS * DAY
}

/** The story ends now: its last day is the running one, and nothing in it lies ahead. */
export function tellStory(people: readonly Person[], random: Random, now: Instant): StoryDay[] {
  const telling: Telling = { random, now, first: firstDay(now), events: [] }
  for (let day = 0; day <= STORY_DAYS; day++) {
    for (const person of people) liveOneDay(telling, person, day)
  }
  for (const campaign of CAMPAIGNS) for (const person of people) phish(telling, person, campaign)
  for (const training of TRAININGS) for (const person of people) train(telling, person, training)
  for (const person of people) enrol(telling, person)
  return gatherDays(telling)
}

/** How easily people slip on a day: a bad month from day 45 on, better habits after it. */
function climate(day: number): number {
  if (day < 45) return 1
  if (day < 75) return 3
  return 1.1 - 0.7 * ((day - 75) / (STORY_DAYS - 75))
}

/** How far the company has come since the bad month, 0 to 1. */
function progress(day: number): number {
  return Math.min(1, Math.max(0, (day - 75) / (STORY_DAYS - 75)))
}

function liveOneDay(telling: Telling, person: Person, day: number): void {
  const weekday = new Date(telling.first + day * DAY).getUTCDay()
  const presence = weekday === 0 || weekday === 6 ? 0.15 : 1.2
  const moods = {
    slip: presence * person.slip * climate(day),
    care: (presence * (0.3 + progress(day))) / (0.5 + person.slip),
    even: presence,
  }
  for (const incident of INCIDENTS) {
    if (telling.random() >= incident.daily * moods[incident.follows]) continue
    happen(telling, person, day, incident)
    if (incident.mended && telling.random() < 0.8) {
      happen(telling, person, day + between(telling.random, 2, 9), incident.mended)
    }
  }
}

type Campaign = (typeof CAMPAIGNS)[number]

function phish(telling: Telling, person: Person, campaign: Campaign): void {
  const { random } = telling
  const { day, name, template } = campaign
  const details = { campaign: name, template }
  const simulation = (type: string, description: string): Happening => {
    return { type, source: 'phishing-simulator', severity: 'medium', description, details }
  }
  const later = day + between(random, 0, 1)
  if (random() < Math.min(0.6, 0.06 * person.slip * climate(day))) {
    happen(
      telling,
      person,
      later,
      simulation('sim.link_clicked', 'Clicked the link of a simulated phishing mail'),
    )
    if (random() < 0.2) {
      happen(
        telling,
        person,
        later,
        simulation('sim.credential_submitted', 'Typed a password into the page'),
      )
    }
    if (random() < 0.4 + 0.4 * progress(day)) catchUp(telling, person, later)
    return
  }
  if (random() < (0.05 + 0.2 * progress(day)) / (0.5 + person.slip)) {
    happen(
      telling,
      person,
      later,
      simulation('sim.reported', 'Reported the simulated phishing mail'),
    )
  }
}

/** Whoever clicked is invited to a short course. */
function catchUp(telling: Telling, person: Person, day: number): void {
  const course = { course: 'Spotting phishing', description: 'Completed the follow-up course' }
  const when = day + between(telling.random, 3, 8)
  happen(telling, person, when, {
    type: 'training.completed',
    source: 'learning-platform',
    details: course,
  })
}

type Training = (typeof TRAININGS)[number]

function train(telling: Telling, person: Person, training: Training): void {
  const { random } = telling
  const { course, opens, closes, share } = training
  const lesson = (type: string): Happening => ({
    type,
    source: 'learning-platform',
    details: { course },
  })
  if (random() >= share) return
  if (random() < 0.05 * person.slip) {
    happen(telling, person, closes, lesson('training.overdue'))
    return
  }
  const day = between(random, opens, closes)
  happen(telling, person, day, lesson('training.completed'))
  if (random() < 0.5) happen(telling, person, day, lesson('training.assessment_passed'))
}

/** A second factor: some at once, most only after the bad month, a few never. */
function enrol(telling: Telling, person: Person): void {
  const { random } = telling
  const chance = random()
  const day = chance < 0.35 ? between(random, 1, 40) : between(random, 78, 170)
  if (chance > 0.93) return
  const details = { method: pick(random, ['app', 'app', 'security key']) }
  happen(telling, person, day, { type: 'auth.mfa_enrolled', source: 'identity-provider', details })
}

/** Between seven and seven, UTC; what lies ahead has not happened. */
function happen(telling: Telling, person: Person, day: number, happening: Happening): void {
  const { type, source, severity, description, details } = happening
  const timestamp = telling.first + day * DAY + between(telling.random, 7 * 60, 19 * 60) * MINUTE
  if (timestamp > telling.now) return
  telling.events.push({
    type,
    source,
    employee_email: person.email,
    timestamp,
    details: { ...(description && { description }), ...(severity && { severity }), ...details },
  })
}

function gatherDays({ events, first, now }: Telling): StoryDay[] {
  const days = Array.from({ length: STORY_DAYS + 1 }, (_, day) => {
    return { at: Math.min(now, first + (day + 1) * DAY - 1), events: [] as StoryEvent[] }
  })
  for (const event of events) days[Math.floor((event.timestamp - first) / DAY)]!.events.push(event)
  for (const day of days) day.events.sort((a, b) => a.timestamp - b.timestamp)
  return days
}
