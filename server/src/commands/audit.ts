// The operator's commands about the audit log.
import { findHead } from '../audit/audit.queries.ts'
import { writeHead } from '../audit/audit-chain.ts'
import { exportAudit } from '../audit/read-audit.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../platform/context.ts'
import { findTenant } from '../tenants/tenants.queries.ts'
import { CommandError, defineCommand } from './arguments.ts'
import { withContext } from './open-context.ts'
import { json, printFields, spellOut } from './print.ts'

const tenant = { value: 'tenant id', required: true, about: 'whose log' } as const

const verify = defineCommand({
  name: 'audit verify',
  about: 'Proves that nothing in the audit log was changed or removed; exit code 1 when it was.',
  options: {
    tenant,
    head: { value: 'seq:hash', about: 'a head noted earlier with "audit head", to be found again' },
    json,
  },
  run: async values => {
    const known = values.head === undefined ? null : readHead(values.head)
    const verdict = await withContext(readConfig(), async context => {
      await requireLog(context, values.tenant)
      return verifyAudit(context, values.tenant, known)
    })
    printFields(values.json, verdict)
    if (!verdict.valid) process.exitCode = 1
  },
})

/** A tenant whose log was taken away is judged all the same; the log of no tenant is not called whole. */
async function requireLog({ db }: Context, tenant_id: string): Promise<void> {
  const found = await db.inTenant(
    tenant_id,
    async tx => (await findHead(tx, tenant_id)) ?? (await findTenant(tx, tenant_id)),
  )
  if (!found) throw missing(tenant_id)
}

const missing = (tenant_id: string) =>
  new CommandError(`--tenant: there is no audit log of ${tenant_id}`)

function readHead(text: string) {
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text)
  if (!match) throw new CommandError('--head must be <seq>:<hash> as "audit head" prints it')
  return { seq: Number(match[1]), hash: Buffer.from(match[2]!, 'hex') }
}

const head = defineCommand({
  name: 'audit head',
  about: 'Shows the end of the log; keep it elsewhere and give it to "audit verify" later.',
  options: { tenant, json },
  run: async values => {
    const found = await withContext(readConfig(), ({ db }) =>
      db.inTenant(values.tenant, tx => findHead(tx, values.tenant)),
    )
    if (!found) throw missing(values.tenant)
    printFields(values.json, {
      tenant_id: values.tenant,
      seq: found.seq,
      hash: found.hash.toString('hex'),
      head: writeHead(found),
    })
  },
})

const exportLog = defineCommand({
  name: 'audit export',
  about: 'Prints the whole log as NDJSON, oldest entry first.',
  options: { tenant },
  run: async values => {
    await withContext(readConfig(), async context => {
      await requireLog(context, values.tenant)
      for await (const line of exportAudit(context, values.tenant)) {
        if (process.stdout.errored) break
        process.stdout.write(spellOut(line))
      }
    })
  },
})

export const commands = [verify, head, exportLog]
