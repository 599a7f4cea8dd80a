// Deadlines: late is who did not answer, not who answered while this process stood still.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { startDeadline } from './deadline.ts'

const ANSWERS = `const { parentPort, workerData } = require('node:worker_threads')
  parentPort.once('message', () => {
    parentPort.postMessage('answer')
    Atomics.store(workerData, 0, 1)
    Atomics.notify(workerData, 0)
  })`

/** To the end of this turn of the loop; timers come next. */
const turn = () => new Promise(resolve => setImmediate(resolve))

test('an answer that came while nothing was read is in time', async () => {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(ANSWERS, { eval: true, workerData: answered })
  onTestFinished(() => void worker.terminate())
  await once(worker, 'online')
  await turn()
  let late = 0
  const end = startDeadline(1, () => late++)
  worker.postMessage('question')
  const answer = once(worker, 'message').then(end)
  Atomics.wait(answered, 0, 0)
  Atomics.wait(answered, 0, 1, 20)
  await answer
  await turn()
  expect(late).toBe(0)
})

test('without an answer it is late', async () => {
  await new Promise<void>(resolve => startDeadline(1, resolve))
})
