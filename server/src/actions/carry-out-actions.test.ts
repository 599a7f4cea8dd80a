// The mails of actions: to whom, how often, and what is said where they cannot be sent.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { startMailServer } from '../../test/mail-server.ts'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { changeTenant } from '../manage-tenants.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { eraseEmployee } from '../privacy/erase-employee.ts'
import { addPolicy, happen, hire, openDesk } from './actions.fixture.ts'
import { claimMail } from './carry-out.queries.ts'
import { carryOutActionsJob, LEASE_MS } from './carry-out-actions.job.ts'
import { mendFarMailJob } from './mend-far-mail.job.ts'

const mail = await startMailServer()
const service = await startService({ smtp_url: mail.url })
const tenant = await service.tenant()
const desk = await openDesk(service, tenant)

beforeEach(() => {
  mail.taken.length = 0
  mail.answer = '250 ok'
})

const run = (on = service) => runDueJobs(on.context, [carryOutActionsJob()])

async function ask(type: string, employee: { id: string }, by = tenant): Promise<string> {
  const body = { employee_id: employee.id, type, note: 'please look' }
  const answer = await by.call('POST', '/v1/actions', body)
  expect(answer.status).toBe(201)
  return answer.body.id
}

const read = async (id: string, by = tenant) => (await by.call('GET', `/v1/actions/${id}`)).body

describe('notify_manager', () => {
  test('one mail to the manager, named by the action, then completed', async () => {
    const policy = { type: 'notify_manager', parameters: { message: 'Have a talk.' } }
    await addPolicy(desk, { kind: 'band_entered', bands: ['orange'] }, policy)
    const ada = await hire(tenant, { manager_email: 'boss@example.com', department: 'Sales' })
    await happen(tenant, ada, 'sim.link_clicked')
    await Promise.all([run(), run()])
    const { body } = await tenant.call('GET', `/v1/actions?employee_id=${ada.id}`)
    const [action] = body.data
    expect(action).toMatchObject({
      status: 'completed',
      outcome: 'the mail was sent',
      attempts: 1,
      expires_at: null,
      finished_by: 'engine:engine',
    })
    expect(mail.sent()).toHaveLength(1)
    expect(mail.sent()[0]!.to).toEqual(['boss@example.com'])
    const { text } = mail.sent()[0]!
    expect(text).toContain(`Message-ID: <${action.id}@bellwether>`)
    expect(text).toContain(`Ada Moss <${ada.email}>, Sales`)
    expect(text).toContain('The score went from 75 to 50 (yellow to orange): sim.link_clicked.')
    expect(text).toContain('Have a talk.')
    await run()
    expect(mail.sent()).toHaveLength(1)
  })

  test('says what happened: an event with its effect or without, and nothing where somebody asked', async () => {
    const policy = { type: 'notify_manager' }
    await addPolicy(desk, { kind: 'event', event_type: 'mail.*' }, policy)
    const rule = { name: 'Told', event_type: 'mail.told', category: 'email', impact: -5 }
    expect((await tenant.call('POST', '/v1/rules', rule)).status).toBe(201)
    const tell = async (act: (person: Awaited<ReturnType<typeof hire>>) => Promise<unknown>) => {
      mail.taken.length = 0
      await act(await hire(tenant, { manager_email: 'boss@example.com' }))
      await run()
      expect(mail.sent()).toHaveLength(1)
      return mail.sent()[0]!.text
    }
    const fell = await tell(person => happen(tenant, person, 'mail.told'))
    expect(fell).toContain('The score went from 75 to 70: mail.told.')
    const stayed = await tell(person => happen(tenant, person, 'mail.seen'))
    expect(stayed).toContain('What happened: mail.seen.')
    expect(stayed).not.toContain('The score went')
    const asked = await tell(person => ask('notify_manager', person))
    expect(asked).not.toMatch(/What happened|The score went/)
    expect(asked).toContain('Score now: 75 (yellow).')
  })

  test('failed, with the reason, where nobody is named', async () => {
    const id = await ask('notify_manager', await hire(tenant))
    await run()
    expect(await read(id)).toMatchObject({
      status: 'failed',
      outcome: 'the employee has no manager_email',
    })
  })
})

describe('notify_admins', () => {
  test('one mail to every active owner and admin, and to nobody else', async () => {
    const other = await service.tenant()
    const owner = await openDesk(service, other)
    const admin = await openDesk(service, other, 'admin')
    const gone = await openDesk(service, other, 'admin')
    await openDesk(service, other, 'viewer')
    const off = await owner.call('PATCH', `/admin/users/${gone.user_id}`, { status: 'disabled' })
    expect(off.status).toBe(204)
    const id = await ask('notify_admins', await hire(other), other)
    await run()
    expect((await read(id, other)).status).toBe('completed')
    expect(mail.sent().map(one => one.to.sort())).toEqual([[owner.email, admin.email].sort()])
    expect(mail.sent()[0]!.text).toContain('Note: please look')
  })

  test('failed where there is none', async () => {
    const other = await service.tenant()
    const id = await ask('notify_admins', await hire(other), other)
    await run()
    expect((await read(id, other)).outcome).toBe('there is no active owner or admin')
  })
})

describe('a mail server that does not take it', () => {
  test('tried five times after growing delays, the reason visible, then failed', async () => {
    const id = await ask('notify_admins', await hire(tenant))
    mail.answer = '451 try later'
    const delays = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]
    for (const [i, delay] of delays.entries()) {
      await run()
      expect(await read(id)).toMatchObject({
        status: 'triggered',
        attempts: i + 1,
        outcome: 'the mail server answered 451',
      })
      service.clock.advance(delay - 1)
      await run()
      expect((await read(id)).attempts).toBe(i + 1)
      service.clock.advance(1)
    }
    await run()
    expect(await read(id)).toMatchObject({ status: 'failed', attempts: 5 })
    expect(mail.sent()).toEqual([])
  })

  test('taken on a later attempt, under the same id', async () => {
    const id = await ask('notify_admins', await hire(tenant))
    mail.answer = '451 try later'
    await run()
    mail.answer = '250 ok'
    service.clock.advance(MINUTE)
    await run()
    expect(await read(id)).toMatchObject({ status: 'completed', attempts: 2 })
    expect(mail.sent().filter(one => one.text.includes(`<${id}@bellwether>`))).toHaveLength(1)
  })

  test('refused for good: failed at once', async () => {
    const id = await ask('notify_admins', await hire(tenant))
    mail.answer = '550 no such user'
    await run()
    expect(await read(id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      outcome: 'the mail server answered 550',
    })
  })
})

test('a worker that stands still over one mail keeps nobody from sending the others', async () => {
  const { promise: reached, resolve } = Promise.withResolvers<Socket>()
  const silent = createServer(resolve)
  await new Promise<void>(done => silent.listen(0, '127.0.0.1', done))
  const { port } = silent.address() as AddressInfo
  const config = { ...service.context.config, smtp_url: `smtp://127.0.0.1:${port}` }
  const ids = [
    await ask('notify_admins', await hire(tenant)),
    await ask('notify_admins', await hire(tenant)),
  ]
  const stuck = carryOutActionsJob().run({ ...service.context, config })
  const socket = await reached
  await run()
  const states = await Promise.all(ids.map(async id => (await read(id)).status))
  expect(states.sort()).toEqual(['completed', 'triggered'])
  socket.destroy()
  silent.close()
  await stuck
})

test('who is erased once their mail is claimed is written of to nobody', async () => {
  const ada = await hire(tenant)
  const id = await ask('notify_admins', ada)
  const { db } = service.context
  let erased = false
  const readTenant: typeof db.readTenant = async (...asked) => {
    if (!erased) {
      erased = true
      await eraseEmployee(service.context, tenant.tenant_id, operatorOrigin(), ada.id)
    }
    return db.readTenant(...asked)
  }
  await runDueJobs({ ...service.context, db: { ...db, readTenant } }, [carryOutActionsJob()])
  expect(mail.sent()).toEqual([])
  expect(await read(id)).toMatchObject({ status: 'failed', outcome: 'the person was erased' })
})

test('the mails of a suspended tenant wait until it is resumed', async () => {
  const other = await service.tenant()
  const boss = { manager_email: 'boss@example.com' }
  const id = await ask('notify_manager', await hire(other, boss), other)
  const set = (status: 'active' | 'suspended') =>
    asOperator(service.context, other.tenant_id, changeTenant, { status })
  await set('suspended')
  await run()
  expect(mail.sent()).toEqual([])
  await set('active')
  await run()
  expect(mail.sent()).toHaveLength(1)
  expect(await read(id, other)).toMatchObject({ status: 'completed' })
})

test('without a mail server the action says so', async () => {
  const silent = await startService({ smtp_url: null })
  const other = await silent.tenant()
  await openDesk(silent, other)
  const id = await ask('notify_admins', await hire(other), other)
  await run(silent)
  expect(await read(id, other)).toMatchObject({
    status: 'failed',
    outcome: 'no mail server is set up (BELLWETHER_SMTP_URL)',
  })
})

describe('a clock that was far ahead', () => {
  const mend = () => runDueJobs(service.context, [mendFarMailJob()])
  /** Does it by a clock that is so far ahead. */
  async function ahead<T>(by: number, act: () => Promise<T>): Promise<T> {
    service.clock.advance(by)
    const done = await act()
    service.clock.advance(-by)
    return done
  }

  test.each([HOUR, 400 * DAY])('a mail that became due %i ms ahead is sent now', async by => {
    const id = await ahead(by, async () => ask('notify_admins', await hire(tenant)))
    await mend()
    await run()
    expect(await read(id)).toMatchObject({ status: 'completed', attempts: 1 })
  })

  test('a mail that failed then is tried again after its delay', async () => {
    const id = await ask('notify_admins', await hire(tenant))
    mail.answer = '451 try later'
    await ahead(DAY, run)
    mail.answer = '250 ok'
    await mend()
    service.clock.advance(MINUTE - 1)
    await run()
    expect((await read(id)).attempts, 'never early').toBe(1)
    service.clock.advance(1)
    await run()
    expect(await read(id)).toMatchObject({ status: 'completed', attempts: 2 })
  })

  test('a mail whose claimer died then is free after a claim', async () => {
    const id = await ask('notify_admins', await hire(tenant))
    await ahead(DAY, () => {
      const [at, until] = [service.clock.now(), service.clock.now() + LEASE_MS]
      return service.context.db.inTenant(tenant.tenant_id, tx =>
        claimMail(tx, tenant.tenant_id, 'req_dead', new Date(at), new Date(until)),
      )
    })
    await mend()
    await run()
    expect((await read(id)).status, 'who claimed it may be alive').toBe('triggered')
    service.clock.advance(LEASE_MS + 1)
    await run()
    expect(await read(id)).toMatchObject({ status: 'completed', attempts: 1 })
  })
})
