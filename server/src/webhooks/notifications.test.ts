// Notifications: grouped lines, read by each person for themselves, mailed where that was asked for.
import { describe, expect, test } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { interleave, type Side } from '../../test/interleave.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { signIn } from '../../test/people.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { addNotice } from '../notifications/notifications.queries.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { forgetNoticesJob } from './forget-notices.job.ts'
import {
  claimDigests,
  claimUnmailed,
  countUnread,
  listInbox,
  listUntold,
  markRead,
} from './inbox.queries.ts'
import { mailNoticesJob } from './mail-notices.job.ts'
import { mendFarNoticesJob } from './mend-far-notices.job.ts'
import { sendDigestsJob } from './send-digests.job.ts'

type Desk = Awaited<ReturnType<typeof signIn>>

const mail = await startMailServer()
const service = await startService({ smtp_url: mail.url })
let tenant: Tenant
let ann: Desk
let ben: Desk

async function open(): Promise<void> {
  mail.taken.length = 0
  mail.answer = '250 ok'
  tenant = await service.tenant()
  ann = await signIn(service, tenant.tenant_id, 'owner')
  ben = await signIn(service, tenant.tenant_id, 'viewer')
}

async function tell(
  kind: string,
  subject_id: string,
  raise = true,
  { db, clock }: Context = service.context,
): Promise<void> {
  const now = clock.now()
  const data = { url: 'https://hooks.example.com/x', failures: 1, last_error: 'status 500' }
  const notice = { kind, subject_kind: 'webhook', subject_id, data, at: new Date(now), raise }
  await db.inTenant(tenant.tenant_id, async tx => {
    await addNotice(tx, tenant.tenant_id, { notification_id: newId('ntf', now), ...notice })
  })
}

/** How often what was read has been looked up, line by line or at once. */
async function countLooks(tx: Tx): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT pg_stat_get_xact_numscans('notification_reads_pk'::regclass) AS n`
  return row!.n
}

const inbox = async (desk: Desk, query = '') =>
  (await desk.call('GET', `/admin/notifications${query}`)).body

describe('/admin/notifications', () => {
  test('200 hundreds of failures are one line', async () => {
    await open()
    await Promise.all(Array.from({ length: 300 }, () => tell('webhook.failing', 'whk_1', false)))
    await tell('webhook.failing', 'whk_2')
    const { data, unread, pagination } = await inbox(ann)
    expect(data.map((one: { count: number }) => one.count).sort()).toEqual([1, 300])
    expect([unread, pagination.total]).toEqual([2, 2])
  })

  test('200 read by one person stays unread for the other, and a repeat begins a new line', async () => {
    await open()
    await tell('webhook.failing', 'whk_1')
    await tell('webhook.failing', 'whk_1')
    const [line] = (await inbox(ann)).data
    expect(line).toMatchObject({ kind: 'webhook.failing', count: 2, read: false })
    const answer = await ann.call('POST', '/admin/notifications/read', { ids: [line.id] })
    expect(answer.body).toEqual({ unread: 0 })
    expect((await inbox(ann)).data).toMatchObject([{ read: true }])
    expect((await inbox(ben)).data).toMatchObject([{ read: false }])
    service.clock.advance(1)
    await tell('webhook.failing', 'whk_1')
    const counts = (await inbox(ann)).data.map((one: { count: number }) => one.count)
    expect(counts).toEqual([1, 2])
    expect((await inbox(ann, '?unread=true')).data).toHaveLength(1)
    expect((await ben.call('GET', '/admin/notifications/unread')).body).toEqual({ unread: 2 })
    expect((await ben.call('POST', '/admin/notifications/read', {})).body).toEqual({ unread: 0 })
  })

  test('200 of very many lines, what was read is looked up for those of the page alone', async () => {
    await open()
    const { tenant_id } = tenant
    const { db, clock } = service.context
    const at = new Date(clock.now())
    await db.inTenant(tenant_id, async tx => {
      await tx`INSERT INTO notifications (tenant_id, notification_id, kind, subject_kind, subject_id, count, data,
          first_at, last_at, raised_at)
        SELECT ${tenant_id}, 'ntf_' || lpad(n::text, 4, '0'), 'webhook.failing', 'webhook', 'whk_' || n, 1, '{}',
          ${at}, ${at}, ${at} FROM generate_series(1, 1000) n`
      await markRead(tx, tenant_id, ann.user_id, null, at)
    })
    await db.sql`ANALYZE notifications, notification_reads`
    await tell('webhook.failing', 'whk_new')
    const far = { per_page: 3, offset: 900 }
    const rows = await db.inTenant(tenant_id, async tx => {
      const before = await countRead(tx, 'notification_reads')
      const found = await listInbox(tx, tenant_id, ann.user_id, false, far)
      expect((await countRead(tx, 'notification_reads')) - before).toBeLessThanOrEqual(6)
      return found
    })
    expect(rows.map(row => [row.subject_id, row.read])).toEqual([
      ['whk_101', true],
      ['whk_100', true],
      ['whk_99', true],
    ])
    const { data, unread, pagination } = await inbox(ann)
    expect([data.length, unread, pagination.total]).toEqual([25, 1, 1001])
    expect((await inbox(ann, '?unread=true')).pagination.total).toBe(1)
    expect((await inbox(ben, '?unread=true&page=41')).data).toHaveLength(1)
    await db.inTenant(tenant_id, async tx => {
      const before = await countLooks(tx)
      await markRead(tx, tenant_id, ann.user_id, null, at)
      expect((await countLooks(tx)) - before, 'nothing is left to mark').toBeLessThan(20)
    })
  })

  test('200 of very many lines nobody has statistics of, each is looked at once or twice', async () => {
    await open()
    const { tenant_id } = tenant
    const { db, clock } = service.context
    const at = new Date(clock.now())
    const told = (tx: Tx, first: number) => tx`
      INSERT INTO notifications (tenant_id, notification_id, kind, subject_kind, subject_id, count, data, first_at,
        last_at, raised_at, read_at)
      SELECT ${tenant_id}, 'ntf_' || lpad(n::text, 5, '0'), 'webhook.failing', 'webhook', 'whk_' || n, 1, '{}',
        ${at}, ${at}, ${at}, ${at} FROM generate_series(${first}::int, ${first + 999}::int) n`
    const readAll = (tx: Tx) => markRead(tx, tenant_id, ann.user_id, null, at)
    await db.inTenant(tenant_id, readAll)
    await db.inTenant(tenant_id, tx => told(tx, 1))
    await db.inTenant(tenant_id, readAll)
    await db.inTenant(tenant_id, tx => told(tx, 1001))
    const looks: Record<string, (tx: Tx) => Promise<unknown>> = {
      count: tx => countUnread(tx, tenant_id, ann.user_id),
      page: tx => listInbox(tx, tenant_id, ann.user_id, true, { per_page: 3, offset: 900 }),
      digest: tx => listUntold(tx, tenant_id, ann.user_id, new Date(0), 50),
      mark: readAll,
    }
    for (const [name, look] of Object.entries(looks)) {
      await db.inTenant(tenant_id, async tx => {
        const before = await countRead(tx, 'notification_reads')
        await look(tx)
        expect((await countRead(tx, 'notification_reads')) - before, name).toBeLessThan(5000)
      })
    }
    expect((await inbox(ann)).unread).toBe(0)
  })

  test('200 what comes while somebody reads its line is unread for them', async () => {
    await open()
    await tell('webhook.failing', 'whk_1')
    service.clock.advance(1000)
    const { tenant_id } = tenant
    const at = new Date(service.clock.now())
    const read: Side<unknown> = own =>
      own.db.inTenant(tenant_id, tx => markRead(tx, tenant_id, ann.user_id, null, at))
    const again: Side<unknown> = own => {
      service.clock.advance(1)
      return tell('webhook.failing', 'whk_1', true, own)
    }
    for (const first of [1, 2]) {
      await interleave(service, read, again, { first, second: 100 })
      expect((await inbox(ann)).unread, `after ${first} statements`).toBe(1)
      service.clock.advance(1000)
      at.setTime(service.clock.now())
    }
  })

  test('200 what a clock that is ahead has told stays open and unread until that instant', async () => {
    await open()
    const now = service.clock.now()
    const ahead = { ...service.context, clock: { now: () => now + SECOND } }
    await tell('webhook.failing', 'whk_1', true, ahead)
    const readAll = () => ann.call('POST', '/admin/notifications/read', {})
    expect((await readAll()).body).toEqual({ unread: 1 })
    await tell('webhook.failing', 'whk_1', true, ahead)
    expect((await inbox(ann)).data).toMatchObject([{ count: 2, read: false }])
    service.clock.advance(SECOND)
    expect((await readAll()).body).toEqual({ unread: 0 })
  })

  test('401 for a key', async () => {
    expect((await tenant.call('GET', '/admin/notifications')).status).toBe(401)
  })

  test('lines go after ninety days', async () => {
    await open()
    await tell('webhook.failing', 'whk_1')
    service.clock.advance(90 * DAY)
    await runDueJobs(service.context, [forgetNoticesJob()])
    const late = await signIn(service, tenant.tenant_id, 'owner')
    expect((await inbox(late)).data).toHaveLength(1)
    service.clock.advance(1)
    await runDueJobs(service.context, [forgetNoticesJob()])
    expect((await inbox(late)).data).toEqual([])
  })
})

describe('mail', () => {
  test('webhook troubles are mailed to owners when they are worth telling, once', async () => {
    await open()
    const run = () => runDueJobs(service.context, [mailNoticesJob()])
    await tell('webhook.failing', 'whk_1')
    await Promise.all([run(), run()])
    expect(mail.sent().map(one => one.to)).toEqual([[ann.email]])
    service.clock.advance(1)
    await tell('webhook.failing', 'whk_1', false)
    await run()
    expect(mail.sent()).toHaveLength(1)
    await ann.call('POST', '/admin/notifications/read', {})
    await tell('webhook.failing', 'whk_1', false)
    await run()
    expect(mail.sent(), 'a new line that only counts').toHaveLength(1)
    service.clock.advance(1)
    await tell('webhook.failing', 'whk_1')
    await tell('webhook.disabled', 'whk_1')
    await tell('employee.critical', tenant.tenant_id)
    mail.answer = '451 later'
    await run()
    expect(mail.sent()).toHaveLength(1)
    mail.answer = '250 ok'
    await run()
    expect(mail.sent(), 'it rests').toHaveLength(1)
    service.clock.advance(10 * MINUTE)
    await run()
    const told = mail
      .sent()
      .slice(1)
      .map(one => /failed|disabled/.exec(one.text)?.[0])
    expect(told.sort()).toEqual(['disabled', 'failed'])
  })

  test('keys whose creator has left are mailed to owners', async () => {
    await open()
    await tell('key.creator_left', ben.user_id)
    await runDueJobs(service.context, [mailNoticesJob()])
    const [{ to, text }] = mail.sent() as [{ to: string[]; text: string }]
    expect(to).toEqual([ann.email])
    expect(text).toMatch(/Subject: API keys of somebody who has left/)
    expect(text).toMatch(/Whoever made 1 API key has left/)
  })

  test('a mail that the server takes from nobody is sent once it does', async () => {
    await open()
    await tell('webhook.disabled', 'whk_1')
    mail.welcome = '530 log in first'
    await runDueJobs(service.context, [mailNoticesJob()])
    mail.welcome = '250 ok'
    service.clock.advance(10 * MINUTE)
    await runDueJobs(service.context, [mailNoticesJob()])
    expect(mail.sent().map(one => one.to)).toEqual([[ann.email]])
  })

  test('a mail server that is down over a weekend or set up later is told what is new, not what is long past', async () => {
    await open()
    await tell('webhook.failing', 'whk_1')
    service.clock.advance(DAY)
    await tell('webhook.disabled', 'whk_1')
    service.clock.advance(3 * DAY - 1)
    await runDueJobs(service.context, [mailNoticesJob()])
    const own = mail.sent().filter(one => one.to.includes(ann.email))
    expect(own.map(one => /failed|disabled/.exec(one.text)?.[0])).toEqual(['disabled'])
  })

  test('a mail that is refused for good is not tried again', async () => {
    await open()
    mail.answer = '550 no such person'
    await tell('webhook.failing', 'whk_1')
    await runDueJobs(service.context, [mailNoticesJob()])
    mail.answer = '250 ok'
    service.clock.advance(HOUR)
    await runDueJobs(service.context, [mailNoticesJob()])
    expect(mail.sent()).toEqual([])
  })

  test('more tenants than a turn takes: those whose mail fails keep no other from its turn', async () => {
    await open()
    mail.answer = '451 later'
    for (let i = 0; i < 50; i++) {
      tenant = await service.tenant()
      await signIn(service, tenant.tenant_id, 'owner')
      await tell('webhook.failing', 'whk_1')
    }
    await runDueJobs(service.context, [mailNoticesJob()])
    const last = await service.tenant()
    const owner = await signIn(service, last.tenant_id, 'owner')
    tenant = last
    await tell('webhook.failing', 'whk_1')
    mail.answer = '250 ok'
    await runDueJobs(service.context, [mailNoticesJob()])
    expect(mail.sent().map(one => one.to)).toContainEqual([owner.email])
    // The others' mails go out before the next test.
    service.clock.advance(10 * MINUTE)
    await runDueJobs(service.context, [mailNoticesJob()])
  })

  test('a kill while a mail is on its way repeats it, under the same id', async () => {
    await open()
    await ben.call('PUT', '/admin/notifications/digest', { frequency: 'daily' })
    service.clock.advance(DAY)
    await tell('webhook.failing', 'whk_1')
    // What the worker had done when it died: claimed, nothing more.
    const { tenant_id } = tenant
    const now = service.clock.now()
    const [at, until] = [new Date(now), new Date(now + 15 * 60_000)]
    const news = { kinds: ['webhook.failing'], since: new Date(0) }
    const claimed = await service.context.db.inTenant(tenant_id, async tx => [
      ...(await claimUnmailed(tx, tenant_id, news, at, until, 25)),
      ...(await claimDigests(tx, tenant_id, at, until, 25)),
    ])
    expect(claimed).toHaveLength(2)
    const run = () => runDueJobs(service.context, [mailNoticesJob(), sendDigestsJob()])
    await run()
    expect(mail.sent(), 'somebody else holds them').toEqual([])
    service.clock.set(until.getTime())
    await Promise.all([run(), run()])
    expect(mail.sent()).toHaveLength(2)
    await run()
    expect(mail.sent()).toHaveLength(2)
  })

  test('a digest holds what is new and unread, at its time, and comes only to who asked', async () => {
    await open()
    const run = () => runDueJobs(service.context, [sendDigestsJob()])
    const path = '/admin/notifications/digest'
    expect((await ben.call('GET', path)).body).toEqual({ frequency: 'off', can_mail: true })
    expect((await ben.call('PUT', path, { frequency: 'daily' })).status).toBe(200)
    service.clock.advance(HOUR / 4)
    expect((await ben.call('PUT', path, { frequency: 'daily' })).status).toBe(200)
    const { body } = await tenant.call('GET', '/v1/audit?action=digest.changed')
    expect(body.pagination.total, 'the same again is no change, and puts nothing off').toBe(1)
    service.clock.advance(HOUR - HOUR / 4)
    await tell('employee.critical', tenant.tenant_id)
    await tell('employee.critical', tenant.tenant_id)
    await tell('job.failed', 'recalculation')
    await run()
    expect(mail.sent()).toEqual([])
    service.clock.advance(23 * HOUR)
    await Promise.all([run(), run()])
    expect(mail.sent().map(one => one.to)).toEqual([[ben.email]])
    // Both may have been the same person.
    expect(mail.sent()[0]!.text).toContain('People entered the critical band 2 times')
    expect(mail.sent()[0]!.text).toContain('1 job failed')
    service.clock.advance(DAY)
    await run()
    expect(mail.sent()).toHaveLength(1)
    const late = await signIn(service, tenant.tenant_id, 'admin')
    expect((await late.call('PUT', path, { frequency: 'hourly' })).status).toBe(400)
  })

  test('a digest keeps its time of day, however late the worker came to it', async () => {
    await open()
    await ben.call('PUT', '/admin/notifications/digest', { frequency: 'daily' })
    const asked = service.clock.now()
    const mailsAt = async (at: number) => {
      service.clock.set(at)
      await tell('webhook.disabled', 'whk_1')
      await runDueJobs(service.context, [sendDigestsJob()])
      return mail.sent().filter(one => one.to.includes(ben.email)).length
    }
    expect(await mailsAt(asked + DAY + MINUTE)).toBe(1)
    expect(await mailsAt(asked + 2 * DAY)).toBe(2)
    expect(await mailsAt(asked + 40 * DAY + HOUR)).toBe(3)
    expect(await mailsAt(asked + 41 * DAY - 1)).toBe(3)
    expect(await mailsAt(asked + 41 * DAY)).toBe(4)
  })

  test.each([
    ['of half a minute', MINUTE / 2],
    ['as long as a piece of one with very many events', 4 * MINUTE],
  ])('what was under way while a digest was made is in the next one: %s', async (_, took) => {
    await open()
    await ben.call('PUT', '/admin/notifications/digest', { frequency: 'daily' })
    service.clock.advance(DAY - took)
    await tell('webhook.disabled', 'whk_1')
    const { tenant_id } = tenant
    const now = service.clock.now()
    await service.context.db.inTenant(tenant_id, async tx => {
      const subject = { kind: 'job.failed', subject_kind: 'job', subject_id: 'recalculation' }
      const notice = { notification_id: newId('ntf', now), ...subject, data: {}, raise: true }
      await addNotice(tx, tenant_id, { ...notice, at: new Date(now) })
      service.clock.advance(took)
      await runDueJobs(service.context, [sendDigestsJob()])
    })
    service.clock.advance(DAY)
    await runDueJobs(service.context, [sendDigestsJob()])
    const own = mail.sent().filter(one => one.to.includes(ben.email))
    expect(own.map(one => /1 job failed/.test(one.text))).toEqual([false, true])
  })

  test('a digest of another rhythm still tells what was not told yet', async () => {
    await open()
    await ben.call('PUT', '/admin/notifications/digest', { frequency: 'daily' })
    service.clock.advance(MINUTE)
    await tell('job.failed', 'recalculation')
    service.clock.advance(MINUTE)
    const weekly = { frequency: 'weekly' }
    const changed = await ben.call('PUT', '/admin/notifications/digest', weekly)
    expect(changed.body).toMatchObject(weekly)
    service.clock.advance(7 * DAY)
    await runDueJobs(service.context, [sendDigestsJob()])
    const own = mail.sent().filter(one => one.to.includes(ben.email))
    expect(own.map(one => /1 job failed/.test(one.text))).toEqual([true])
  })

  test.each([
    [50, false],
    [51, true],
  ])('a digest of more lines than it holds says so: of %i %s', async (count, more) => {
    await open()
    await ben.call('PUT', '/admin/notifications/digest', { frequency: 'daily' })
    service.clock.advance(HOUR)
    for (let i = 0; i < count; i++) await tell('webhook.disabled', `whk_${i}`)
    service.clock.advance(DAY)
    await runDueJobs(service.context, [sendDigestsJob()])
    const own = mail.sent().find(one => one.to.includes(ben.email))!
    expect(own.text.match(/^- The webhook/gm)).toHaveLength(50)
    expect(own.text.includes('- More is in the dashboard.')).toBe(more)
  })

  test('a digest is sent once, however long those of earlier tenants took', async () => {
    const due = async () => {
      await open()
      await ben.call('PUT', '/admin/notifications/digest', { frequency: 'daily' })
      service.clock.advance(1)
      await tell('job.failed', 'recalculation')
      return tenant.tenant_id
    }
    const [slow] = [await due(), await due()]
    service.clock.advance(DAY)
    const { db } = service.context
    let others = 1
    const inTenant: typeof db.inTenant = async (tenant_id, work) => {
      const done = await db.inTenant(tenant_id, work)
      if (tenant_id === slow) service.clock.advance(10 * MINUTE)
      else if (tenant_id === tenant.tenant_id && others-- > 0) {
        await runDueJobs(service.context, [sendDigestsJob()])
      }
      return done
    }
    await runDueJobs({ ...service.context, db: { ...db, inTenant } }, [sendDigestsJob()])
    expect(mail.sent().filter(one => one.to.includes(ben.email))).toHaveLength(1)
  })

  test.each([
    ['digests', sendDigestsJob],
    ['troubles', mailNoticesJob],
  ])(
    'of several %s of a tenant each is sent once, however long the mail server takes for one',
    async (_, job) => {
      await open()
      const { tenant_id } = tenant
      const desks = [ann, ben, await signIn(service, tenant_id, 'viewer')]
      for (const desk of desks) {
        await desk.call('PUT', '/admin/notifications/digest', { frequency: 'daily' })
      }
      service.clock.advance(DAY)
      for (const subject of ['whk_1', 'whk_2', 'whk_3']) await tell('webhook.failing', subject)
      const { db } = service.context
      let turns = 0
      const inTenant: typeof db.inTenant = async (id, work) => {
        const done = await db.inTenant(id, work)
        if (id !== tenant_id) return done
        service.clock.advance(8 * MINUTE)
        turns += 1
        if (turns === 2) await runDueJobs(service.context, [job()])
        return done
      }
      await runDueJobs({ ...service.context, db: { ...db, inTenant } }, [job()])
      const own = mail.sent().filter(({ to }) => desks.some(desk => to.includes(desk.email)))
      const ids = own.map(({ text }) => /^Message-ID: (.*)$/m.exec(text)![1])
      expect([ids.length, new Set(ids).size]).toEqual([3, 3])
    },
  )

  test('a digest that is refused for good is not tried again, and the next one is', async () => {
    await open()
    await ben.call('PUT', '/admin/notifications/digest', { frequency: 'daily' })
    service.clock.advance(1)
    await tell('employee.critical', tenant.tenant_id)
    service.clock.advance(DAY)
    mail.answer = '550 no such person'
    await runDueJobs(service.context, [sendDigestsJob()])
    mail.answer = '250 ok'
    service.clock.advance(DAY - 2)
    await tell('employee.critical', tenant.tenant_id)
    await runDueJobs(service.context, [sendDigestsJob()])
    expect(mail.sent()).toEqual([])
    service.clock.advance(1)
    await runDueJobs(service.context, [sendDigestsJob()])
    expect(mail.sent().map(one => one.to)).toEqual([[ben.email]])
  })

  test('a digest that cannot be sent now is sent later, with the same lines', async () => {
    await open()
    await ben.call('PUT', '/admin/notifications/digest', { frequency: 'weekly' })
    service.clock.advance(1)
    await tell('employee.critical', tenant.tenant_id)
    service.clock.advance(7 * DAY)
    mail.answer = '451 later'
    await runDueJobs(service.context, [sendDigestsJob()])
    mail.answer = '250 ok'
    service.clock.advance(HOUR)
    await runDueJobs(service.context, [sendDigestsJob()])
    const own = mail.sent().filter(one => one.to.includes(ben.email))
    expect(own).toHaveLength(1)
    expect(own[0]!.text).toContain('1 person entered the critical band')
  })
})

describe('a clock that was far ahead', () => {
  const run = () => runDueJobs(service.context, [mailNoticesJob(), sendDigestsJob()])
  const mend = () => runDueJobs(service.context, [mendFarNoticesJob()])

  test.each([
    ['daily', DAY],
    ['weekly', 7 * DAY],
  ])(
    'a %s digest it sent is followed by the next in its time, with what came meanwhile',
    async (frequency, period) => {
      await open()
      await ben.call('PUT', '/admin/notifications/digest', { frequency })
      const asked = service.clock.now()
      service.clock.advance(1)
      await tell('job.failed', 'recalculation')
      service.clock.advance(400 * DAY + HOUR)
      await run()
      expect(mail.sent()).toHaveLength(1)
      service.clock.set(asked + 2 * HOUR)
      await mend()
      await tell('employee.critical', tenant.tenant_id)
      service.clock.set(asked + period - 1)
      await run()
      expect(mail.sent()).toHaveLength(1)
      service.clock.advance(1)
      await run()
      expect(mail.sent()[1]!.text).toContain('1 person entered the critical band')
    },
  )

  test('a digest and a mail that failed then are tried again when they have rested', async () => {
    await open()
    await ben.call('PUT', '/admin/notifications/digest', { frequency: 'daily' })
    service.clock.advance(DAY)
    await tell('webhook.disabled', 'whk_1')
    mail.answer = '451 later'
    service.clock.advance(DAY)
    await run()
    service.clock.advance(-DAY)
    mail.answer = '250 ok'
    await mend()
    await run()
    expect(mail.sent()).toEqual([])
    service.clock.advance(HOUR)
    await run()
    expect(
      mail
        .sent()
        .flatMap(one => one.to)
        .sort(),
    ).toEqual([ann.email, ben.email].sort())
  })

  test('what is told again is mailed again, although it was mailed by that clock', async () => {
    await open()
    await tell('webhook.failing', 'whk_1')
    service.clock.advance(DAY)
    await tell('webhook.failing', 'whk_1')
    await run()
    service.clock.advance(MINUTE - DAY)
    await tell('webhook.failing', 'whk_1')
    await run()
    expect(mail.sent()).toHaveLength(2)
  })
})
