// Adding up the counts: the sums and views stay, the rows become few, and no writer is waited for or lost.
import { beforeEach, describe, expect, it } from 'vitest'
import { type Service, START, startService, type Tenant } from '../../test/service.ts'
import { askAsOperator } from '../accounts/identity.ts'
import { addEmployees } from '../employees/create-employee.ts'
import { create, happen, person } from '../employees/employees.fixture.ts'
import { addUpScores } from '../employees/score-counts.queries.ts'
import { addUpEvents } from '../events/event-counts.queries.ts'
import { DAY, dayOf } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { findMiscountedEvents, findMiscountedPeople } from '../verify/verify.queries.ts'
import { addUpCountsJob, MOST_ENTRIES, OLD_MS } from './add-up-counts.job.ts'
import { closeDaysJob } from './close-days.job.ts'
import { get } from './scores.fixture.ts'
import { expectViews } from './views.fixture.ts'

/** So many connections that nobody here waits for one, and is refused. */
const service: Service = await startService({ pool: 32 })
let tenant: Tenant

beforeEach(async () => {
  service.clock.set(START)
  tenant = await service.tenant()
})

const inTenant = <T>(work: (tx: Tx, tenant_id: string) => Promise<T>) =>
  service.context.db.inTenant(tenant.tenant_id, tx => work(tx, tenant.tenant_id))
const runJob = () => runDueJobs(service.context, [addUpCountsJob()])

/** Once all of them are old. */
async function addUp() {
  service.clock.advance(OLD_MS + 1)
  await runJob()
}

const ENTRIES = ['score_count_entries', 'event_count_entries'] as const

async function countEntries(): Promise<number[]> {
  return Promise.all(
    ENTRIES.map(table =>
      inTenant(async (tx, tenant_id) => {
        const [row] = await tx<
          { n: number }[]
        >`SELECT count(*) AS n FROM ${tx(table)} WHERE tenant_id = ${tenant_id}`
        return row!.n
      }),
    ),
  )
}

/** What the counts come to, whether added up or not. */
const readSums = () =>
  inTenant(async (tx, tenant_id) => {
    const scores =
      await tx`SELECT day, status, department, band, score, sum(people)::bigint AS people
      FROM all_score_counts WHERE tenant_id = ${tenant_id} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`
    const events =
      await tx`SELECT day, type, source, department, sign, sum(events)::bigint AS events,
        sum(counted)::bigint AS counted, sum(impact)::bigint AS impact
      FROM all_event_counts WHERE tenant_id = ${tenant_id} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`
    return { scores: [...scores], events: [...events] }
  })

/** The rows in which counts are added up. */
const readSlots = () =>
  inTenant(async (tx, tenant_id) => {
    const rows = await tx<{ slot: number }[]>`
      SELECT slot FROM score_counts WHERE tenant_id = ${tenant_id} ORDER BY slot`
    return rows.map(row => row.slot)
  })

const verify = async () => [
  ...(await inTenant(findMiscountedPeople)),
  ...(await inTenant(findMiscountedEvents)),
]

const addUpAll = (tx: Tx, tenant_id: string) => addUpScores(tx, tenant_id, MOST_ENTRIES)

async function live(people: number): Promise<string[]> {
  const emails: string[] = []
  for (let i = 0; i < people; i++) {
    const { email } = await create(tenant, { department: `Team ${i % 3}` })
    await happen(tenant, email)
    await happen(tenant, email, 'email.phishing_reported')
    emails.push(email)
  }
  return emails
}

describe('adding up the counts', () => {
  it('leaves one row a cell and no entry, every sum and every view as it was', async () => {
    await live(6)
    expect(await countEntries()).toEqual([18, 12])
    const sums = await readSums()
    await expectViews(service, tenant)
    await addUp()
    expect(await countEntries()).toEqual([0, 0])
    expect(await readSums()).toEqual(sums)
    expect((await readSlots()).length).toBe(sums.scores.length)
    await expectViews(service, tenant)
    expect(await verify()).toEqual([])
  })

  it('adds to what is added up already', async () => {
    const [email] = await live(3)
    await addUp()
    const rows = (await readSlots()).length
    await happen(tenant, email!, 'email.phishing_reported')
    await happen(tenant, email!, 'email.phishing_reported')
    const sums = await readSums()
    await addUp()
    expect(await readSums()).toEqual(sums)
    expect((await readSlots()).length).toBeGreaterThanOrEqual(rows)
    expect(await verify()).toEqual([])
  })

  it('adds to rows that releases before left in other slots', async () => {
    await live(3)
    await addUp()
    await inTenant(
      (tx, tenant_id) => tx`UPDATE score_counts SET slot = 3 WHERE tenant_id = ${tenant_id}`,
    )
    await live(3)
    await addUp()
    await expectViews(service, tenant)
    expect(new Set(await readSlots())).toEqual(new Set([3, 16]))
    expect(await verify()).toEqual([])
  })

  it('waits until there are many, or the first is old', async () => {
    await live(5)
    await runJob()
    expect(await countEntries()).toEqual([15, 10])
    await live(6)
    await runJob()
    expect(await countEntries()).toEqual([0, 0])
    await live(1)
    service.clock.advance(OLD_MS)
    await runJob()
    expect(await countEntries()).toEqual([3, 2])
    service.clock.advance(1)
    await runJob()
    expect(await countEntries()).toEqual([0, 0])
  })

  it('goes on until there is nothing left, in pieces', async () => {
    await inTenant(
      (tx, tenant_id) => tx`INSERT INTO score_count_entries AS x
          (tenant_id, entry_id, days, statuses, departments, bands, scores, people)
        SELECT tn.tenant_id, 'cnt_' || lpad(i::text, 5, '0'), ARRAY[${dayOf(START)}::date], '{active}', '{Crowd}',
          '{green}', '{90}', ARRAY[CASE WHEN i % 2 = 0 THEN 1 ELSE -1 END]
        FROM tenants tn, generate_series(1, ${2 * MOST_ENTRIES + 2}::int) AS i WHERE tn.tenant_id = ${tenant_id}`,
    )
    await addUp()
    expect(await countEntries()).toEqual([0, 0])
    expect(await verify()).toEqual([])
  })

  it('is done for what a day holds before it is closed', async () => {
    const { id } = await create(tenant, { department: 'Brief' })
    await tenant.call('PATCH', `/v1/employees/${id}`, { department: 'Legal' })
    service.clock.advance(2 * DAY)
    await runDueJobs(service.context, [closeDaysJob()])
    expect(await countEntries()).toEqual([0, 0])
    expect(await readSlots()).toEqual([0])
    expect(await verify()).toEqual([])
    await expectViews(service, tenant)
    const { data } = await get(tenant, '/v1/scores/trends?department=Brief')
    expect(data.at(-1).employee_count).toBe(0)
  })
})

describe('at the same time', () => {
  it('an entry that somebody adds up is left to them, and nobody waits', async () => {
    await live(2)
    await inTenant(async (tx, tenant_id) => {
      expect(await addUpAll(tx, tenant_id)).toBe(6)
      expect(await inTenant(addUpAll)).toBe(0)
    })
    expect(await verify()).toEqual([])
  })

  it('who keeps a tenant waits for entries of events that somebody adds up', async () => {
    await live(1)
    const held = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    const first = inTenant(async (tx, tenant_id) => {
      const found = await addUpEvents(tx, tenant_id, MOST_ENTRIES)
      held.resolve()
      await letGo.promise
      return found
    })
    await held.promise
    const second = inTenant((tx, tenant_id) =>
      addUpEvents(tx, tenant_id, MOST_ENTRIES, 'waited for'),
    )
    expect(await Promise.race([second, inTenant(async () => 'still waiting')])).toBe(
      'still waiting',
    )
    letGo.resolve()
    expect([await first, await second]).toEqual([2, 0])
    expect(await verify()).toEqual([])
  })

  it('nothing that is written is lost or counted twice', async () => {
    const emails = await live(4)
    const arriving = Array.from({ length: 12 }, () =>
      inTenant((tx, tenant_id) =>
        addEmployees(tx, askAsOperator(tenant_id, START), [person({ department: 'Team 0' })]),
      ),
    )
    const happening = emails.map(email => happen(tenant, email))
    service.clock.advance(OLD_MS + 1)
    const adding = Array.from({ length: 4 }, runJob)
    await Promise.all([...arriving, ...happening, ...adding])
    await addUp()
    expect(await countEntries()).toEqual([0, 0])
    expect(await verify()).toEqual([])
    await expectViews(service, tenant)
  })
})
