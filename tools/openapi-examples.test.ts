// The examples of the API document could be real: readers build on them, so no value may contradict another.
import { expect, test } from 'vitest'
import { DEFAULT_EDGES } from '../scoring/settings.ts'
import { bandOf } from '../scoring/state.ts'
import { idPart, newId } from '../server/src/platform/ids.ts'
import { buildOfflineDocument } from './offline-app.ts'

type Example = Record<string, unknown>

const document = buildOfflineDocument()
const examples = [...findExamples(document.paths, ''), ...findExamples(document.webhooks, '')]

/** Every object in every example, with where it stands. */
function findExamples(value: unknown, path: string, inside = false): [string, Example][] {
  if (typeof value !== 'object' || value === null) return []
  const own: [string, Example][] = inside && !Array.isArray(value) ? [[path, value as Example]] : []
  const parts = Object.entries(value).flatMap(([key, part]) =>
    findExamples(part, `${path} ${key}`, inside || key === 'example'),
  )
  return [...own, ...parts]
}

function contradicting(isRight: (example: Example) => boolean): string[] {
  return examples.filter(([, example]) => !isRight(example)).map(([path]) => path)
}

test('every band is that of its score', () => {
  const bands = examples.flatMap(([path, example]) =>
    ['', 'previous_', 'new_'].flatMap(prefix => {
      const [score, band] = [example[`${prefix}score`], example[`${prefix}band`]]
      return typeof score === 'number' && typeof band === 'string' ? [{ path, score, band }] : []
    }),
  )
  expect(bands.length).toBeGreaterThan(10)
  const wrong = bands.filter(({ score, band }) => bandOf(score, DEFAULT_EDGES) !== band)
  expect(wrong).toEqual([])
})

const UNDER_WAY = ['queued', 'running', 'awaiting_approval', 'triggered']

test('what has ended says when, and what has not does not', () => {
  const isRight = ({ status, finished_at }: Example) =>
    finished_at === undefined || UNDER_WAY.includes(status as string) === (finished_at === null)
  expect(contradicting(isRight)).toEqual([])
})

test('a dry run alone has a result, and all of it is there', () => {
  const isWhole = ({ dry_run, result, truncated }: Example) =>
    (dry_run === undefined || dry_run === (result !== undefined)) && truncated !== true
  expect(contradicting(isWhole)).toEqual([])
  const isCounted = ({ employees_affected, score_changes }: Example) =>
    score_changes === undefined ||
    employees_affected === undefined ||
    (score_changes as unknown[]).length === employees_affected
  expect(contradicting(isCounted)).toEqual([])
})

test('webhooks and deliveries that are well have no trouble', () => {
  const isWell = (example: Example) => {
    if (example.status === 'enabled' && 'disabled_at' in example)
      return example.disabled_at === null
    if (example.status !== 'delivered') return true
    return example.last_error === null && example.next_attempt_at === null
  }
  expect(contradicting(isWell)).toEqual([])
  const isSuccess = ({ stage, error }: Example) =>
    stage === undefined || (stage === null) === (error === null)
  expect(contradicting(isSuccess)).toEqual([])
})

test('each health check answers in its own word', () => {
  const words = examples.filter(([path]) => /^ \/(?:health|ready)z .* 200 /.test(path))
  expect(words.map(([, example]) => example)).toEqual([{ status: 'ok' }, { status: 'ready' }])
})

test('an id is as long as the real ones', () => {
  const real = idPart(newId('emp', 0)).length
  const ids = JSON.stringify(examples).match(/\b[a-z]{3,4}_0[0-9a-z]{9,}\b/g)!
  expect(ids.length).toBeGreaterThan(100)
  expect(new Set(ids.map(id => idPart(id).length))).toEqual(new Set([real]))
})

test('what expires does so after it came in', () => {
  const isLater = ({ received_at, expires_at }: Example) =>
    received_at === undefined || String(received_at) < String(expires_at)
  expect(contradicting(isLater)).toEqual([])
})

test('a missing thing is called by its name', () => {
  const wrong = contradicting(({ message }) => message !== 'no such rule')
  expect(wrong.filter(path => !path.startsWith(' /v1/rules'))).toEqual([])
})

test('a message shows the state it tells of', () => {
  const told = Object.fromEntries(
    examples
      .filter(([path]) => path.endsWith(' data'))
      .map(([path, data]) => [path.split(' ')[1], data]),
  )
  expect(told['employee.created']).toMatchObject({ status: 'active', last_event_at: null })
  expect(told['employee.deactivated']).toMatchObject({ status: 'inactive' })
  expect(told['action.triggered']).toMatchObject({ status: 'triggered', outcome: '' })
  expect(told['action.completed']).toMatchObject({ status: 'completed' })
  expect(told['event.ingested']).toMatchObject({ impact: -25, current_impact: -25 })
})
