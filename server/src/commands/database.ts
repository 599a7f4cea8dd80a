// Commands about the database as a whole: bring it up to date, fill it with the demo company.
import { readConfig } from '../config.ts'
import { makeDemo, refuseDemo } from '../demo/open-demo.ts'
import { CommandError, defineCommand } from './arguments.ts'
import { withContext, withOpened } from './open-context.ts'
import { json, print, printFields, printJson } from './print.ts'

const ASK = `Row-level security is off. Let an administrator of the database run this, then migrate again:`

const migrateCommand = defineCommand({
  name: 'migrate',
  about: 'Brings the database up to date and says what ran; serve and worker do it by themselves.',
  options: { json },
  run: async values => {
    await withOpened(readConfig(), async ({ migrated }) => {
      const { ran, lock } = migrated
      const row_level_security = lock.roles !== null
      if (values.json) {
        return printJson({ migrated: ran, row_level_security, sql: lock.missing })
      }
      print(ran.length === 0 ? 'The database is up to date.' : `Ran ${ran.join(', ')}.`)
      const sql = lock.missing.map(one => `  ${one};`)
      print(row_level_security ? 'Row-level security is on.' : [ASK, ...sql].join('\n'))
    })
  },
})

const seedCommand = defineCommand({
  name: 'seed-demo',
  about: 'Creates the demo company in the embedded database, beside what is there.',
  options: { json },
  run: async values => {
    const config = readConfig()
    const refusal = refuseDemo(config)
    if (refusal) throw new CommandError(`seed-demo: ${refusal}`)
    await withContext(config, async context => {
      const { tenant_id, name, key } = await makeDemo(context)
      printFields(values.json, { tenant_id, name, key })
    })
  },
})

export const commands = [migrateCommand, seedCommand]
