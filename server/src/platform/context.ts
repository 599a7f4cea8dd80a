// What every operation is handed: the database, the clock, the settings, the secrets and the log.
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Clock } from './clock.ts'
import type { Database } from './database.ts'
import type { Secrets } from './secrets.ts'

export type Context = {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly secrets: Secrets
  readonly log: FastifyBaseLogger
}
