// The app without a database, for whoever only wants to know its routes.
import pino from 'pino'
import { type App, buildApp } from '../server/src/app.ts'
import { readConfig } from '../server/src/config.ts'
import { describeService } from '../server/src/docs/about.ts'
import type { Context } from '../server/src/platform/context.ts'
import { type ApiDocument, buildDocument } from '../server/src/platform/openapi.ts'

/** Invariant: registering routes does no I/O; whatever reaches for the database here fails. */
export function buildOfflineApp(): App {
  const absent = (name: string) =>
    new Proxy({}, { get: (_, key) => fail(`${name}.${String(key)} while routes are registered`) })
  const context = {
    db: absent('db'),
    secrets: absent('secrets'),
    clock: { now: () => 0 },
    config: readConfig({}),
    log: pino({ level: 'silent' }),
  }
  return buildApp(context as unknown as Context)
}

function fail(what: string): never {
  throw new Error(`used ${what}`)
}

export function buildOfflineDocument(): ApiDocument {
  return buildDocument(buildOfflineApp().routes, describeService(null))
}
