// Writes openapi.json from the routes; a test fails when the committed one is stale.
import { writeFileSync } from 'node:fs'
import { printDocument } from '../server/src/platform/openapi.ts'
import { buildOfflineDocument } from './offline-app.ts'

const FILE = new URL('../openapi.json', import.meta.url)

writeFileSync(FILE, printDocument(buildOfflineDocument()))
process.stdout.write('openapi.json written\n')
