// What of PostgreSQL's own log reaches ours.
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { forwardPostgresLog } from './postgres-log.ts'

const passed: string[] = []
const note = (_fields: object, message: string) => void passed.push(message)
const log = { info: note, warn: note, error: note }

function say(...lines: string[]) {
  const stderr = new PassThrough()
  const tail = forwardPostgresLog(stderr, log)
  passed.length = 0
  stderr.emit('data', `${lines.join('\n')}\n`)
  return tail
}

test('complaints are passed on, and only they', () => {
  const tail = say('LOG:  checkpoint starting: time', 'FATAL:  could not write to the log')
  expect(passed).toEqual(['postgres: could not write to the log'])
  expect(tail()).toEqual(['FATAL:  could not write to the log'])
})

test.each(['connection', 'autovacuum process', 'background worker "parallel worker"'])(
  'a %s that was still at work when the server was told to end is no complaint',
  process => {
    say(`FATAL:  terminating ${process} due to administrator command`)
    expect(passed).toEqual([])
  },
)

test.each(['starting up', 'not yet accepting connections', 'in recovery mode', 'shutting down'])(
  'that it is %s is told by those it turned away, not by each connection they tried',
  state => {
    say(...Array.from({ length: 5 }, () => `FATAL:  the database system is ${state}`))
    expect(passed).toEqual([])
  },
)

test('of a flood twenty lines are passed on', () => {
  say(...Array.from({ length: 50 }, (_, n) => `ERROR:  fault ${n}`))
  expect(passed).toHaveLength(20)
})
