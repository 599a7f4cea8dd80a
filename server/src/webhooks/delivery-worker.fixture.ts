// A real worker process for the fault tests: delivers, and kills itself at the step it is told.
import pino from 'pino'
import { readConfig } from '../config.ts'
import { systemClock } from '../platform/clock.ts'
import { openDatabase } from '../platform/database.ts'
import type { PostgresAddress } from '../platform/embedded-postgres.ts'
import { createSecrets, keyFromSetting } from '../platform/secrets.ts'
import { type StepName, watchSteps } from '../platform/steps.ts'
import { createDeliveryEngine, type EngineOptions } from './deliver-webhooks.job.ts'

export type WorkerTask = {
  address: PostgresAddress
  options: Pick<EngineOptions, 'deadlines' | 'lease_ms' | 'poll_ms' | 'listen'>
  /** Dies the n-th time it comes to this step. */
  dies_at: StepName
  nth: number
}

const { address, options, dies_at, nth } = JSON.parse(process.argv[2]!) as WorkerTask
let seen = 0

const context = {
  db: openDatabase({ address, pool: 4, prepare: true }),
  clock: systemClock,
  config: { ...readConfig({}), webhook_allow: ['127.0.0.0/8'] },
  secrets: createSecrets(keyFromSetting('a key for tests only, long enough')),
  log: pino({ level: 'silent' }),
}

watchSteps(step => {
  if (step === dies_at && ++seen === nth) process.kill(process.pid, 'SIGKILL')
})
createDeliveryEngine(context, options).start()
