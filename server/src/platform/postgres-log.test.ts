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
  const tail = say('LOG:  checkpoint starting: time', 'FATAL:  the database system is starting up')
  expect(passed).toEqual(['postgres: the database system is starting up'])
  expect(tail()).toEqual(['FATAL:  the database system is starting up'])
})

test('a connection that was still closing when the server was told to end is no complaint', () => {
  say('FATAL:  terminating connection due to administrator command')
  expect(passed).toEqual([])
})

test('of a flood twenty lines are passed on', () => {
  say(...Array.from({ length: 50 }, (_, n) => `ERROR:  fault ${n}`))
  expect(passed).toHaveLength(20)
})
