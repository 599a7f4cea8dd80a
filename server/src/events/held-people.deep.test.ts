// Somebody whom another transaction holds for long, such as a recalculation: only who is named beside them waits for it.
import { beforeEach, expect, it } from 'vitest'
import { holdPerson, seeBlocked } from '../../test/locks.ts'
import { checkBooks, hire } from '../../test/scenario.ts'
import { type Service, START, startService, type Tenant } from '../../test/service.ts'

const service: Service = await startService()
let tenant: Tenant
const OTHERS = Array.from({ length: 6 }, (_, i) => `other${i}@example.com`)
const HELD = 'held@example.com'
const BESIDE = 'beside@example.com'

beforeEach(async () => {
  service.clock.set(START)
  tenant = await service.tenant()
  await hire(service, tenant, [HELD, BESIDE, ...OTHERS])
  const rule = { name: 'VPN', category: 'custom', event_type: 'custom.x', impact: -5 }
  expect((await tenant.call('POST', '/v1/rules', rule)).status).toBe(201)
})

const send = (email: string) =>
  tenant.call('POST', '/v1/events', { type: 'custom.x', employee_email: email })

it('events of everybody else are taken meanwhile, and theirs in order afterwards', async () => {
  const waiting: ReturnType<typeof send>[] = []
  await holdPerson(service, tenant, HELD, async tx => {
    waiting.push(send(HELD))
    await seeBlocked(tx)
    waiting.push(send(HELD))
    for (const email of [...OTHERS, ...OTHERS]) expect((await send(email)).status).toBe(201)
  })
  const answers = await Promise.all(waiting)
  expect(answers.map(({ status, body }) => [status, body.score_before])).toEqual([
    [201, 75],
    [201, 70],
  ])
  await checkBooks(service, tenant)
})

it('nobody waits for them who only happened to come at the same time', async () => {
  const waiting: ReturnType<typeof send>[] = []
  await holdPerson(service, tenant, OTHERS[0]!, async first => {
    // What is under way makes the next ones wait for it, and go together.
    const early = OTHERS.map(email => send(email))
    await seeBlocked(first)
    await holdPerson(service, tenant, HELD, async tx => {
      waiting.push(...[HELD, ...OTHERS.slice(1), HELD].map(email => send(email)))
      await Promise.all(waiting.slice(1, -1))
      await Promise.all(early.slice(1))
      await seeBlocked(tx)
    })
    waiting.push(early[0]!)
  })
  const answers = await Promise.all(waiting)
  expect(answers.map(answer => answer.status)).toEqual(answers.map(() => 201))
  expect([answers[0]!.body.score_before, answers.at(-2)!.body.score_before]).toEqual([75, 70])
  await checkBooks(service, tenant)
})

it('whoever came in one request with them waits, and so does what comes for that one after it', async () => {
  let order: string[] = []
  let both: Promise<unknown> = Promise.resolve()
  let after: ReturnType<typeof send> | null = null
  const event = (employee_email: string) => ({ type: 'custom.x', employee_email })
  await holdPerson(service, tenant, HELD, async tx => {
    const events = [event(HELD), event(BESIDE)]
    both = tenant.call('POST', '/v1/events/batch', { events }).then(({ body }) => {
      order = [...order, ...body.data.map((one: any) => one.event.score_before)]
    })
    await seeBlocked(tx)
    after = send(BESIDE)
    for (const email of OTHERS) expect((await send(email)).status).toBe(201)
    expect(order).toEqual([])
  })
  await both
  expect(order).toEqual([75, 75])
  expect((await after!).body.score_before).toBe(70)
  await checkBooks(service, tenant)
})
