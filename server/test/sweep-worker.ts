// A worker in a process of its own that searches for an erased person, a row at a time, and kills itself after five.
import pino from 'pino'
import type { Context } from '../src/platform/context.ts'
import { openDatabase } from '../src/platform/database.ts'
import { createSecrets, keyFromSetting } from '../src/platform/secrets.ts'
import { sweepPerson } from '../src/privacy/sweep-person.ts'

const { address, now, tenant_id, employee_id, key } = JSON.parse(process.argv[2]!)
const db = openDatabase({ address, pool: 2, prepare: true })
const secrets = createSecrets(keyFromSetting(key))
const context = { db, clock: { now: () => now }, log: pino({ level: 'silent' }), secrets }

const sweepRow = () => sweepPerson(context as unknown as Context, tenant_id, employee_id, 1, 1)

for (let rows = 0; rows < 5; rows++) await sweepRow()
void sweepRow()
setImmediate(() => process.kill(process.pid, 'SIGKILL'))
