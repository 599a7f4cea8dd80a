// Reports of browsers: what is kept of them, and that they cannot be used to fill the log.
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { buildApp } from '../app.ts'
import { logOptions } from '../platform/log-options.ts'
import { REPORTS_PATH, readViolations } from './policy-reports.ts'

const lines: string[] = []
const { context } = await startService()
const app = buildApp({
  ...context,
  log: pino(logOptions('info'), { write: line => void lines.push(line) }),
})
await app.server.ready()
afterAll(() => app.server.close())

const report = {
  'csp-report': {
    'document-uri': 'https://bellwether.test/employees?search=ada',
    'effective-directive': 'script-src-elem',
    'blocked-uri': 'https://evil.test/path?ada=1',
    'script-sample': 'ada',
  },
}
const send = (payload: string, type = 'application/csp-report') =>
  app.server.inject({
    method: 'POST',
    url: REPORTS_PATH,
    payload,
    headers: { 'content-type': type },
  })

test('a violation is logged by directive and place, without what was on the page', async () => {
  expect((await send(JSON.stringify(report))).statusCode).toBe(204)
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 40,
    directive: 'script-src-elem',
    blocked: 'https://evil.test',
  })
  expect(lines[0]).not.toContain('ada')
})

test('the newer form is read too, several at once, and nonsense is nothing', () => {
  const body = { effectiveDirective: 'img-src', blockedURL: 'inline' }
  expect(readViolations(JSON.stringify(Array(9).fill({ body })))).toEqual(
    Array(5).fill({ directive: 'img-src', blocked: 'inline' }),
  )
  for (const text of ['', '{', 'null', '[]', '{"body":7}', '[[[]]]']) {
    expect(readViolations(text), text).toEqual([])
  }
  const hostile = {
    'csp-report': { 'effective-directive': 'x\n{"level":60}', 'blocked-uri': 'data:a' },
  }
  expect(readViolations(JSON.stringify(hostile))).toEqual([
    { directive: 'unknown', blocked: 'data:' },
  ])
})

test('anything but a text in a report is unknown, and no failure', async () => {
  const parts: unknown[] = [{ toString: 1 }, ['img-src'], 7, true, null]
  for (const part of parts) {
    const hostile = { 'csp-report': { 'effective-directive': part, 'blocked-uri': part } }
    expect(readViolations(JSON.stringify(hostile))).toEqual([
      { directive: 'unknown', blocked: 'unknown' },
    ])
    expect((await send(JSON.stringify(hostile))).statusCode).toBe(204)
  }
})

test('415 for other types, 413 for a large one, 429 for a flood', async () => {
  expect((await send('{}', 'application/json')).statusCode).toBe(415)
  expect((await send(`"${'x'.repeat(17_000)}"`)).statusCode).toBe(413)
  const statuses = []
  for (let i = 0; i < 25; i++) statuses.push((await send('{}')).statusCode)
  expect(statuses.at(-1)).toBe(429)
})
