// The worker's end: what a job is in the middle of is waited for, but not for ever; and what is said of jobs that fail.
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import type { Context } from './context.ts'
import { unavailable } from './errors.ts'
import { type Job, startWorker } from './jobs.ts'

const { context } = await startService()

function heldJob() {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()]
  const job: Job = {
    name: 'held',
    every_ms: 1,
    run: () => {
      begun.resolve()
      return held.promise
    },
  }
  return { job, begun: begun.promise, end: () => held.resolve(false) }
}

test('a job that waits for somebody else, as for a mail server that is silent, does not hold the end up', async () => {
  const { job, begun, end } = heldJob()
  const worker = startWorker(context, [job], { stop_ms: 1 })
  await begun
  await worker.stop()
  end()
})

test('a job that ends in time is waited for', async () => {
  const { job, begun, end } = heldJob()
  const worker = startWorker(context, [job], { stop_ms: 60_000 })
  await begun
  let stopped = false
  const stopping = worker.stop().then(() => {
    stopped = true
  })
  await new Promise(setImmediate)
  expect(stopped).toBe(false)
  end()
  await stopping
})

test('a job that rests does not hold the end up, however long its rest', async () => {
  const { job, begun, end } = heldJob()
  const worker = startWorker(context, [{ ...job, every_ms: 2 ** 30 }], { stop_ms: 2 ** 30 })
  await begun
  end()
  await new Promise(setImmediate)
  await worker.stop()
})

test('while the database is away the jobs say so once a minute together; any other fault is told each time', async () => {
  const lines: unknown[] = []
  const log = {
    error: (fields: { err: Error; job: string }) => void lines.push(fields.err.message),
  }
  const away = () => Object.assign(unavailable(), { cause: { code: 'ECONNREFUSED' } })
  const failing = async (faults: (() => Error)[]) => {
    const jobs = faults.map((fault, i) => ({
      name: `job ${i}`,
      every_ms: 2 ** 30,
      run: () => Promise.reject(fault()),
    }))
    const worker = startWorker({ ...context, log: log as never } as Context, jobs)
    for (let i = 0; i < 5; i++) await new Promise(setImmediate)
    await worker.stop()
    return lines.splice(0)
  }
  expect(await failing([away, away, away])).toEqual([away().message])
  expect(await failing([() => new Error('x'), () => new Error('x')])).toEqual(['x', 'x'])
})
