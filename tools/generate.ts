// Writes what follows from the sources: openapi.json, the dashboard's types, two pages; tests fail when they are stale.
import { mkdirSync, writeFileSync } from 'node:fs'
import { printDocument } from '../server/src/platform/openapi.ts'
import { printPage, readRequirements } from './asvs.ts'
import { type Document, printTypes } from './generate-api-types.ts'
import { readHouse } from './house-files.ts'
import { listLogMessages, printLogMessages } from './log-messages.ts'
import { buildOfflineDocument } from './offline-app.ts'

const DOCUMENT = new URL('../openapi.json', import.meta.url)
const TYPES = new URL('../dashboard/src/generated/api.ts', import.meta.url)

const document = buildOfflineDocument()
writeFileSync(DOCUMENT, printDocument(document))
mkdirSync(new URL('.', TYPES), { recursive: true })
writeFileSync(TYPES, printTypes(document as unknown as Document))
const pages = new URL('../docs/security/', import.meta.url)
writeFileSync(new URL('asvs.md', pages), printPage(readRequirements()))
writeFileSync(new URL('log.md', pages), printLogMessages(listLogMessages(readHouse())))
process.stdout.write('openapi.json, dashboard/src/generated/api.ts and docs/security written\n')
