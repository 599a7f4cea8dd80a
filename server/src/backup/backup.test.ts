// Proves that a backup is whole and comes back as it was, and that nothing doubtful is restored.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { afterFile } from '../../test/after-file.ts'
import { seeWaiting } from '../../test/locks.ts'
import { addPerson } from '../../test/people.ts'
import { until } from '../../test/program.ts'
import { hire, ingest } from '../../test/scenario.ts'
import { cloneDatabase, startService } from '../../test/service.ts'
import { openDatabase } from '../platform/database.ts'
import { createSecrets, keyFromSetting } from '../platform/secrets.ts'
import { verifyTenant } from '../verify/verify-tenant.ts'
import { backUp } from './back-up.ts'
import { BackupError } from './backup-file.ts'
import { restore } from './restore.ts'

const [PROVEN, UNPROVEN] = [{ unverified: false }, { unverified: true }]

const service = await startService()
const { context } = service
const folder = mkdtempSync(join(tmpdir(), 'bellwether-backup-'))
const file = join(folder, 'all.backup')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const [acme, other] = [await service.tenant(), await service.tenant({ name: 'Other' })]
for (const tenant of [acme, other]) {
  await hire(service, tenant, ['ada@example.com', 'bo@example.com'])
  await ingest(service, tenant, [
    {
      email: 'ada@example.com',
      type: 'sim.link_clicked',
      details: { note: 'tab\t, \\. and\nline' },
    },
    { email: 'bo@example.com', type: 'sim.reported', details: { note: 'ünï → 🎣' } },
  ])
}
await addPerson(service, acme.tenant_id, 'owner')
const owner = await openOwner(service.address)
const made = await backUp(context, owner, file)

type Address = Awaited<ReturnType<typeof cloneDatabase>>

async function openOwner(address: Address) {
  const db = openDatabase({ address, pool: 1, prepare: true })
  afterFile(() => db.close())
  return db
}

/** An empty database of this release. */
async function openEmpty() {
  const address = await cloneDatabase()
  return { address, owner: await openOwner(address) }
}

const rowsOf = (db: typeof owner) =>
  db.sql`SELECT 'event ' || to_jsonb(e)::text AS row FROM events e
    UNION ALL SELECT 'state ' || to_jsonb(s)::text FROM employee_states s
    UNION ALL SELECT 'audit ' || to_jsonb(a)::text FROM audit_entries a ORDER BY 1`

it('what comes back is what was there, of every tenant, and it verifies', async () => {
  const target = await openEmpty()
  const done = await restore(context, target.owner, file, PROVEN)
  expect(done).toMatchObject({ tables: made.tables, rows: made.rows, proven: true })
  expect(made.rows).toBeGreaterThan(80)
  expect([...(await rowsOf(target.owner))]).toEqual([...(await rowsOf(owner))])
  const db = openDatabase({ address: target.address, pool: 2, prepare: true })
  for (const { tenant_id } of [acme, other]) {
    expect(await verifyTenant({ ...context, db }, tenant_id)).toMatchObject({
      clean: true,
      employees: 2,
    })
  }
  await db.close()
})

const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

it('compressed, it is the same; the digest told is the one of the file', async () => {
  const packed = join(folder, 'all.backup.gz')
  const { rows, sha256 } = await backUp(context, owner, packed)
  expect([sha256, made.sha256]).toEqual([digestOf(packed), digestOf(file)])
  expect(statSync(packed).size).toBeLessThan(statSync(file).size / 2)
  const target = await openEmpty()
  expect(await restore(context, target.owner, packed, PROVEN)).toMatchObject({ rows })
})

it('whatever its name says, it is restored as what it is', async () => {
  const [packed, renamed] = [join(folder, 'packed.gz'), join(folder, 'unpacked.gz')]
  const { rows } = await backUp(context, owner, packed)
  renameSync(packed, join(folder, 'packed'))
  copyFileSync(file, renamed)
  const [target, other] = [await openEmpty(), await openEmpty()]
  const restored = await restore(context, target.owner, join(folder, 'packed'), PROVEN)
  expect(restored.rows).toBe(rows)
  expect((await restore(context, other.owner, renamed, PROVEN)).rows).toBe(made.rows)
})

it('written to a link, it stands where the link leads', async () => {
  const [kept, link] = [join(folder, 'kept'), join(folder, 'link')]
  writeFileSync(kept, 'the one before')
  symlinkSync(kept, link)
  const { sha256 } = await backUp(context, owner, link)
  expect(readlinkSync(link)).toBe(kept)
  expect(digestOf(kept)).toBe(sha256)
})

/** Where a backup stands still once it has its tables: it looks at this one first. */
const FIRST_LOOK = 'schema_migrations'

const listDrafts = () => readdirSync(folder).filter(name => name.endsWith('.part'))

it('two at once to the same file are both whole, and one of them stays', async () => {
  const path = join(folder, 'twice')
  const second = await openOwner(service.address)
  const both = await context.db.sql.begin(async tx => {
    await tx`LOCK TABLE ${tx(FIRST_LOOK)}`
    const first = backUp(context, owner, path)
    await until(() => (listDrafts().length === 1 ? true : undefined))
    const later = backUp(context, second, path)
    await seeWaiting(service, acme, 'relation')
    return { ended: Promise.all([first, later]) }
  })
  const rows = (await both.ended).map(one => one.rows)
  expect(listDrafts()).toEqual([])
  const target = await openEmpty()
  const done = await restore(context, target.owner, path, PROVEN)
  expect(rows).toContain(done.rows)
})

it('what is no file is no place for it, and that is said before anything is written', async () => {
  await expect(backUp(context, owner, folder)).rejects.toThrow(`${folder} is not a file`)
  expect(listDrafts()).toEqual([])
})

it('only its owner can read it, and a draft is never left', async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect(backUp(context, owner, join(folder, 'no/such/folder'))).rejects.toThrow('ENOENT')
})

it('told to end, it takes its draft away, and leaves what stood there before', async () => {
  const [stop, path] = [new AbortController(), join(folder, 'ended.gz')]
  writeFileSync(path, 'the one before')
  const attempt = await context.db.sql.begin(async tx => {
    await tx`LOCK TABLE ${tx(FIRST_LOOK)}`
    const ended = expect(backUp(context, owner, path, stop.signal)).rejects.toThrow('aborted')
    await seeWaiting(service, acme, 'relation')
    expect(listDrafts()).toHaveLength(1)
    stop.abort()
    // At once: it still waits for the table.
    await until(() => (listDrafts().length > 0 ? undefined : true))
    return { ended }
  })
  await attempt.ended
  expect(readFileSync(path, 'utf8')).toBe('the one before')
})

it('any changed byte is found, and nothing of the file is kept', async () => {
  const whole = readFileSync(file)
  const target = await openEmpty()
  const places = [
    whole.indexOf('sim.link_clicked') + 2,
    // In a date, so that the database itself refuses the row, after the last of them was sent.
    whole.indexOf('-', whole.indexOf('sim.link_clicked')),
    whole.indexOf('"rows"') + 7,
    whole.length - 9,
  ]
  for (const at of places) {
    const changed = Buffer.from(whole)
    changed[at]! ^= 1
    writeFileSync(join(folder, 'changed'), changed)
    const attempt = restore(context, target.owner, join(folder, 'changed'), PROVEN)
    await expect(attempt, `byte ${at}`).rejects.toThrow(BackupError)
  }
  expect(await rowsOf(target.owner)).toHaveLength(0)
})

it.each([0.2, 0.5, 0.99])('cut off after %d of it, it is refused', async part => {
  const whole = readFileSync(file)
  const target = await openEmpty()
  writeFileSync(join(folder, 'cut'), whole.subarray(0, Math.floor(whole.length * part)))
  const attempt = restore(context, target.owner, join(folder, 'cut'), PROVEN)
  await expect(attempt).rejects.toThrow()
  expect(await rowsOf(target.owner)).toHaveLength(0)
})

it.each([0.2, 0.9, 0.999])('cut off after %d of it compressed, it is refused too', async part => {
  const [packed, cut] = [join(folder, 'whole.gz'), join(folder, 'cut.gz')]
  await backUp(context, owner, packed)
  const whole = readFileSync(packed)
  writeFileSync(cut, whole.subarray(0, Math.floor(whole.length * part)))
  const target = await openEmpty()
  const attempt = restore(context, target.owner, cut, PROVEN)
  await expect(attempt).rejects.toThrow('unexpected end of file')
  expect(await rowsOf(target.owner)).toHaveLength(0)
})

it('a file that goes on behind its end is refused', async () => {
  writeFileSync(join(folder, 'longer'), Buffer.concat([readFileSync(file), Buffer.from('x')]))
  const target = await openEmpty()
  const attempt = restore(context, target.owner, join(folder, 'longer'), PROVEN)
  await expect(attempt).rejects.toThrow('behind its end')
  expect(await rowsOf(target.owner)).toHaveLength(0)
})

it('a database that has rows is left alone', async () => {
  const attempt = restore(context, owner, file, PROVEN)
  await expect(attempt).rejects.toThrow('not empty')
})

it('another schema version is refused by name', async () => {
  const text = readFileSync(file, 'utf8').replace(
    /"schema_version":\d+,"schema":\[\{[^}]*\},/,
    '"schema_version":3,"schema":[',
  )
  writeFileSync(join(folder, 'older'), text)
  const target = await openEmpty()
  const attempt = restore(context, target.owner, join(folder, 'older'), PROVEN)
  await expect(attempt).rejects.toThrow('schema version 3')
})

it('without the key that made it it is refused, unless told to go on', async () => {
  const secrets = createSecrets(keyFromSetting('another key, also long enough for this'))
  const target = await openEmpty()
  const strange = { ...context, secrets }
  const attempt = restore(strange, target.owner, file, PROVEN)
  await expect(attempt).rejects.toThrow('secret.key')
  const done = await restore(strange, target.owner, file, UNPROVEN)
  expect(done).toMatchObject({ opens_secrets: false, proven: false, rows: made.rows })
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** As somebody does who may write where backups lie: every digest fits again. */
function forge(change: (row: string) => string, end: (trailer: object) => object = one => one) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const trailer = JSON.parse(lines.pop()!)
  let rows: string[] = []
  const forged = lines.map(line => {
    if (line.startsWith('{"table":')) rows = []
    if (line.startsWith('{"table":') || line === '\\.') return line
    if (!line.startsWith('{"rows":')) {
      rows.push(change(line))
      return rows.at(-1)
    }
    const text = rows.map(row => `${row}\n`).join('')
    const bytes = Buffer.byteLength(text)
    return JSON.stringify({ rows: rows.length, bytes, sha256: sha256(text) })
  })
  const text = forged.map(line => `${line}\n`).join('')
  const last = end({ ...trailer, sha256: sha256(text) })
  const path = join(folder, 'forged')
  writeFileSync(path, `${text}${JSON.stringify(last)}\n`)
  return path
}

const HASH = /\$argon2id\$[^\t]+/
const PLANTED = '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$cGxhbnRlZA'

it('a replaced password hash, with every digest made to fit again, is refused', async () => {
  const target = await openEmpty()
  const forged = forge(row => row.replace(HASH, PLANTED))
  expect(readFileSync(forged, 'utf8')).toContain(PLANTED)
  const attempt = restore(context, target.owner, forged, PROVEN)
  await expect(attempt).rejects.toThrow('nothing proves that it is what backup has written')
  expect(await rowsOf(target.owner)).toHaveLength(0)
  const done = await restore(context, target.owner, forged, UNPROVEN)
  expect(done).toMatchObject({ opens_secrets: true, proven: false })
})

it.each([
  ['missing', { hmac: undefined }],
  ['of another text', { hmac: '0'.repeat(64) }],
  ['no text', { hmac: 1 }],
])('a proof that is %s is none', async (_what, other) => {
  const target = await openEmpty()
  const forged = forge(
    row => row,
    trailer => ({ ...trailer, ...other }),
  )
  const attempt = restore(context, target.owner, forged, PROVEN)
  await expect(attempt).rejects.toThrow('nothing proves')
})

it('a backup of the key before is proven by it, and by no third one', async () => {
  const [old, next, third] = ['a key for tests only, long enough', 'the next one', 'a third one']
  const withKeys = (key: string, before: string) => ({
    ...context,
    secrets: createSecrets(keyFromSetting(key), keyFromSetting(before)),
  })
  const target = await openEmpty()
  const attempt = restore(withKeys(third!, next!), target.owner, file, PROVEN)
  await expect(attempt).rejects.toThrow('another key')
  const done = await restore(withKeys(next!, old!), target.owner, file, PROVEN)
  expect(done).toMatchObject({ opens_secrets: true, proven: true })
})

it('a user from whom rows are hidden cannot make one that lacks them', async () => {
  await owner.sql
    .unsafe(`CREATE ROLE half_blind LOGIN PASSWORD '${service.address.password}'`)
    .catch(() => {})
  await owner.sql.unsafe('GRANT SELECT ON ALL TABLES IN SCHEMA public TO half_blind')
  const blind = await openOwner({ ...service.address, user: 'half_blind' })
  await expect(backUp(context, blind, join(folder, 'half'))).rejects.toThrow('row-level security')
})
