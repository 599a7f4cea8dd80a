// The dashboard's open line: who gets one, what it says, and when it ends.
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { seeBlocked } from '../../test/locks.ts'
import { addFactor, addPerson, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { MINUTE } from '../platform/clock.ts'
import { openDatabase, type Tx } from '../platform/database.ts'
import type { ApiError } from '../platform/errors.ts'
import { followEvents } from './follow-events.ts'
import { createLinePlaces } from './line-places.ts'

const service = await startService()
const tenant = await service.tenant()
const { call } = tenant
for (const email of ['ada@example.com', 'adb@example.com']) {
  await call('POST', '/v1/employees', { email, first_name: 'Ada', last_name: 'Moss' })
}
const send = (employee_email = 'ada@example.com') =>
  call('POST', '/v1/events', { type: 'custom.a', employee_email })

await service.app.server.listen({ port: 0, host: '127.0.0.1' })
// fetch may hold a connection that has said nothing yet, for which closing would wait.
afterAll(() => service.app.server.server.closeAllConnections())
const { port } = service.app.server.server.address() as { port: number }

async function openLine(cookie: string) {
  const abort = new AbortController()
  const response = await fetch(`http://127.0.0.1:${port}/admin/live`, {
    headers: cookie === '' ? {} : { cookie },
    signal: abort.signal,
  })
  const reader = response.body!.getReader()
  let text = ''
  /** Reads on until the text has come, or the line has ended. */
  const read = async (wanted: string) => {
    while (!text.includes(wanted)) {
      const { value, done } = await reader.read()
      if (done) break
      text += new TextDecoder().decode(value)
    }
    return text
  }
  return { status: response.status, headers: response.headers, read, close: () => abort.abort() }
}

describe('200', () => {
  it('tells within seconds that an event has come in, and nothing about it', async () => {
    const viewer = await signIn(service, tenant.tenant_id, 'viewer')
    const line = await openLine(viewer.cookie())
    expect(line.headers.get('content-type')).toBe('text/event-stream')
    expect(line.headers.get('cache-control')).toBe('no-store')
    await line.read('retry:')
    const { body } = await send()
    const text = await line.read('event: changed')
    expect(text).toContain(`event: changed\ndata: {"event_id":"${body.id}"}`)
    expect(text).not.toContain('ada@example.com')
    line.close()
  })

  it('tells of an event that came in before the line stood, while the page was being read', async () => {
    service.clock.advance(120_000)
    const viewer = await signIn(service, tenant.tenant_id, 'viewer')
    const first = await openLine(viewer.cookie())
    const { body } = await send()
    expect(await first.read('event: changed')).toContain(body.id)
    // Another line has been told already: this one begins with what it may have missed.
    const second = await openLine(viewer.cookie())
    expect(await second.read('event: changed')).toContain(body.id)
    for (const line of [first, second]) line.close()
  })
})

describe('an open line', () => {
  it('keeps no session alive, however often it is opened anew', async () => {
    const viewer = await signIn(service, tenant.tenant_id, 'viewer')
    for (const status of [200, 200, 401]) {
      service.clock.advance(10 * MINUTE)
      const line = await openLine(viewer.cookie())
      expect(line.status).toBe(status)
      line.close()
    }
  })
})

describe('lines that a process ends together', () => {
  it('do not all come back in the same moment', async () => {
    const viewer = await signIn(service, tenant.tenant_id, 'viewer')
    const lines = await Promise.all(Array.from({ length: 6 }, () => openLine(viewer.cookie())))
    const texts = await Promise.all(lines.map(line => line.read('\n\n')))
    const waits = texts.map(text => Number(/^retry: (\d+)\n/.exec(text)![1]))
    expect(new Set(waits).size).toBeGreaterThan(1)
    expect(waits.every(wait => wait >= 2_000 && wait < 8_000)).toBe(true)
    for (const line of lines) line.close()
  })
})

describe('401', () => {
  it('without a session, and with a key', async () => {
    expect((await openLine('')).status).toBe(401)
    expect((await call('GET', '/admin/live')).status).toBe(401)
  })
})

describe('429', () => {
  it('a session has six lines at most, and a closed one makes room', async () => {
    const viewer = await signIn(service, tenant.tenant_id, 'viewer')
    const lines = await Promise.all(Array.from({ length: 6 }, () => openLine(viewer.cookie())))
    expect(lines.map(line => line.status)).toEqual(Array(6).fill(200))
    expect((await openLine(viewer.cookie())).status).toBe(429)
    lines[0]!.close()
    await expect
      .poll(async () => {
        const line = await openLine(viewer.cookie())
        line.close()
        return line.status
      })
      .toBe(200)
    for (const line of lines) line.close()
  })
})

describe('places', () => {
  const statusOf = (take: () => unknown) => {
    try {
      take()
      return 200
    } catch (error) {
      return (error as ApiError).status
    }
  }

  it('of one tenant run out before those of others, and come back one by one', () => {
    const places = createLinePlaces({ session: 2, tenant: 3, in_all: 5 })
    const leave = ['a', 'b', 'c'].map(session => places.take('ten_loud', session))
    expect(statusOf(() => places.take('ten_loud', 'd'))).toBe(429)
    expect(statusOf(() => places.take('ten_quiet', 'e'))).toBe(200)
    for (const go of leave) go()
    expect(statusOf(() => places.take('ten_loud', 'a'))).toBe(200)
    expect(statusOf(() => places.take('ten_loud', 'a'))).toBe(200)
    expect(
      statusOf(() => places.take('ten_loud', 'a')),
      'of one session',
    ).toBe(429)
    expect(statusOf(() => places.take('ten_quiet', 'f'))).toBe(200)
    expect(statusOf(() => places.take('ten_other', 'g'))).toBe(200)
    expect(
      statusOf(() => places.take('ten_other', 'h')),
      'in all',
    ).toBe(429)
  })
})

describe('watching', () => {
  it('rests between looks also while the first one fails', async () => {
    const db = openDatabase({ address: service.address, pool: 1, prepare: true })
    await db.close()
    let failed = 0
    const log = { ...service.context.log, debug: () => failed++ } as never
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const followers = followEvents({ ...service.context, db, log }, 1000)
    followers.watch(tenant.tenant_id, { changed() {}, stillAllowed: async () => true, end() {} })
    await vi.advanceTimersByTimeAsync(999)
    expect(failed).toBe(1)
    await vi.advanceTimersByTimeAsync(2)
    expect(failed).toBe(2)
    followers.close()
  })

  it('ends for who may no longer, and tells the others on', async () => {
    service.clock.advance(120_000)
    const followers = followEvents(service.context, 5)
    const { tenant_id } = tenant
    const ended: string[] = []
    const told: string[] = []
    const watcher = (name: string, allowed: () => boolean) => ({
      changed: () => void told.push(name),
      stillAllowed: async () => allowed(),
      end: () => {
        ended.push(name)
        leave[name]!()
      },
    })
    const leave: Record<string, () => void> = {}
    let here = true
    leave.gone = followers.watch(
      tenant_id,
      watcher('gone', () => here),
    )
    leave.stays = followers.watch(
      tenant_id,
      watcher('stays', () => true),
    )
    here = false
    await expect.poll(() => ended).toEqual(['gone'])
    await send()
    await expect.poll(() => told).toEqual(['stays'])
    followers.close()
    expect(ended).toEqual(['gone', 'stays'])
  })

  it('tells the others on while it is still asked whether somebody may', async () => {
    service.clock.advance(120_000)
    const { tenant_id } = tenant
    const followers = followEvents(service.context, 5)
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: answer, resolve: allow } = Promise.withResolvers<boolean>()
    const ended: string[] = []
    const told: string[] = []
    followers.watch(tenant_id, {
      changed: () => {},
      stillAllowed: () => {
        ask()
        return answer
      },
      end: () => void ended.push('slow'),
    })
    const other = { stillAllowed: async () => true, end: () => void ended.push('other') }
    followers.watch(tenant_id, { ...other, changed: id => void told.push(id) })
    await asked
    const { body } = await send()
    await expect.poll(() => told).toEqual([body.id])
    allow(false)
    await expect.poll(() => ended).toContain('slow')
    followers.close()
  })

  it('ends at once for who comes while the process ends', () => {
    const followers = followEvents(service.context, 5)
    followers.close()
    let ended = false
    const end = () => {
      ended = true
    }
    followers.watch(tenant.tenant_id, { changed() {}, stillAllowed: async () => true, end })
    expect(ended).toBe(true)
  })

  it('tells of an event that is committed behind a later one, and of each once', async () => {
    service.clock.advance(120_000)
    const { tenant_id } = tenant
    const told: string[] = []
    const followers = followEvents(service.context, 5)
    const watcher = { stillAllowed: async () => true, end: () => {} }
    followers.watch(tenant_id, { ...watcher, changed: id => void told.push(id) })
    let behind: ReturnType<typeof send> | undefined
    let latest = ''
    await service.context.db.sql.begin(async tx => {
      await tx`SELECT 1 FROM employee_states s JOIN employees e USING (tenant_id, employee_id)
        WHERE s.tenant_id = ${tenant_id} AND e.email = 'adb@example.com' FOR UPDATE OF s`
      behind = send('adb@example.com')
      await seeBlocked(tx as unknown as Tx)
      service.clock.advance(1)
      latest = (await send()).body.id
      await expect.poll(() => told).toEqual([latest])
    })
    expect((await behind!).body.id < latest).toBe(true)
    await expect.poll(() => told).toEqual([latest, latest])
    service.clock.advance(120_000)
    const { body } = await send()
    await expect.poll(() => told).toEqual([latest, latest, body.id])
    followers.close()
  })

  it('ends where a second factor becomes required, for who has none', async () => {
    const strict = await service.tenant()
    const [with_one, without] = [
      await signIn(service, strict.tenant_id),
      await signIn(service, strict.tenant_id),
    ]
    await addFactor(service, with_one)
    const lines = [await openLine(with_one.cookie()), await openLine(without.cookie())]
    await with_one.call('PUT', '/admin/policy', { require_second_factor: true })
    expect(await lines[1]!.read('never said')).not.toContain('never said')
    await strict.call('POST', '/v1/employees', {
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Moss',
    })
    const event = { type: 'custom.a', employee_email: 'ada@example.com' }
    const { body } = await strict.call('POST', '/v1/events', event)
    expect(await lines[0]!.read('event: changed')).toContain(body.id)
    lines[0]!.close()
  })

  it('ends with the session: at logout, and when the person is removed', async () => {
    const owner = await signIn(service, tenant.tenant_id, 'owner')
    const viewer = await signIn(service, tenant.tenant_id, 'viewer')
    const other = await addPerson(service, tenant.tenant_id, 'viewer')
    expect(other.user_id).not.toBe(viewer.user_id)
    const lines = [await openLine(owner.cookie()), await openLine(viewer.cookie())]
    await owner.call('DELETE', `/admin/users/${viewer.user_id}`)
    await owner.call('DELETE', '/session')
    // Without anything to wait for, reading goes on until the server ends the line.
    const texts = await Promise.all(lines.map(line => line.read('never said')))
    expect(texts.every(text => !text.includes('never said'))).toBe(true)
  })
})
