// Writes what follows from the routes: openapi.json and the dashboard's types; tests fail when they are stale.
import { mkdirSync, writeFileSync } from 'node:fs'
import { printDocument } from '../server/src/platform/openapi.ts'
import { type Document, printTypes } from './generate-api-types.ts'
import { buildOfflineDocument } from './offline-app.ts'

const DOCUMENT = new URL('../openapi.json', import.meta.url)
const TYPES = new URL('../dashboard/src/generated/api.ts', import.meta.url)

const document = buildOfflineDocument()
writeFileSync(DOCUMENT, printDocument(document))
mkdirSync(new URL('.', TYPES), { recursive: true })
writeFileSync(TYPES, printTypes(document as unknown as Document))
process.stdout.write('openapi.json and dashboard/src/generated/api.ts written\n')
