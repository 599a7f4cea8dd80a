// decay: a tenant in which everybody is due at once is caught up while events go on, beside one UPDATE of all rows.
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../server/src/demo/random.ts'
import type { Context } from '../server/src/platform/context.ts'
import { type Bench, goal } from './bench.ts'
import { checkNumbers } from './check-rows.ts'
import { type Company, enterCompany, newEvent, openDueCompany } from './company.ts'
import { type Outcome, postRequest, putLoad, type Target } from './load.ts'
import { inPlainSql } from './plain-sql.ts'
import { startService } from './processes.ts'
import { type Refusals, watchRefusals } from './refusals.ts'
import { median, quantile } from './rounds.ts'

const random = createRandom(9)
const CALM_SECONDS = 4
const SLICE_SECONDS = 1

export const bench: Bench = {
  name: 'decay',
  about: 'everybody due at once, caught up by the worker of a server that takes events meanwhile',
  bound:
    "the CPU of both cores, six tenths of it PostgreSQL's: 1.5 changes a person, each with a row of history, " +
    'one in five an event as well, and a standing with six indexes, 0.16 ms of PostgreSQL and 0.08 ms of Node; the ' +
    'events beside it take a quarter of it all. Ten entries in indexes a person are two fifths of what PostgreSQL ' +
    'does, locking a seventh, reading arrays a tenth. Larger chunks are done sooner but keep events waiting longer, so ' +
    'the two goals pull apart: up to 256 people took a tenth less time and let events wait twice as long. An UPDATE of ' +
    'only the columns that change took 2 % less; a worker in a process of its own moved neither figure, nor did ' +
    'a lower priority of it and of its connections: both cores are busy. The machine changed its speed by 2 × within ' +
    'the day: in quick phases it was caught up in 19 to 22 s, in slow ones in 28 to 33',
  unit: 's',
  size: { employees: 100_000, rate: 200 },
  grows: ['employees'],
  async open(size) {
    const { employees = 1, rate = 200 } = size
    const stage = await openDueCompany(employees)
    const busy: number[] = []
    const calm: number[] = []
    const dueAtOnce: number[] = []
    const steps: number[] = []
    const refusals = watchRefusals()
    return {
      ways: {
        ours: async () => {
          await stage.renew()
          const { context } = stage
          const company = await enterCompany(context, employees)
          const before = await countSteps(context)
          dueAtOnce.push(await countDue(context))
          // The worker begins before the server says it is ready, so starting counts too.
          const start = performance.now()
          const service = await startService(stage, ['serve'])
          try {
            const due = () => isSomebodyDue(context)
            const { caughtUp, latencies } = await loadUntil(
              () => send(service.target, company, rate, SLICE_SECONDS),
              due,
              refusals,
            )
            busy.push(quantile(latencies, 0.99))
            const after = await send(service.target, company, rate, CALM_SECONDS)
            calm.push(quantile(after.latencies, 0.99))
            refusals.note(after)
            steps.push((await countSteps(context)) - before)
            return (caughtUp - start) / 1000
          } finally {
            await service.stop()
          }
        },
        usual: async () => updateAll(stage.context),
      },
      also: async () => ({
        'due at once': median(dueAtOnce),
        'changes applied': median(steps),
        'ingest p99 meanwhile, ms': median(busy),
        'ingest p99 after it, ms': median(calm),
      }),
      checks: async () => {
        const { context } = stage
        const { tenant_id } = await enterCompany(context, employees)
        return [
          refusals.check(),
          {
            name: 'at least 99 % were due at once',
            ok: dueAtOnce.every(count => count >= 0.99 * employees),
            detail: String(dueAtOnce[0]),
          },
          ...(await checkNumbers(context, tenant_id)),
        ]
      },
      goals: ({ ours = Infinity }, also) => {
        const raised = also['ingest p99 meanwhile, ms']! / also['ingest p99 after it, ms']!
        return [
          goal('caught up in at most 20 s', ours <= 20, ours),
          goal('ingest p99 at most doubled meanwhile', raised <= 2, raised),
        ]
      },
      close: () => stage.close(),
    }
  },
}

function send(target: Target, company: Company, rate: number, seconds: number) {
  const next = () => postRequest('/v1/events', company.key, newEvent(random, company))
  return putLoad([target], { connections: 64, seconds, next, rate })
}

/** Events at a steady rate until nobody is due any more. */
async function loadUntil(
  sendSlice: () => Promise<Outcome>,
  due: () => Promise<boolean>,
  refusals: Refusals,
) {
  const latencies: number[] = []
  let caughtUp = 0
  const watch = async () => {
    while (await due()) await sleep(100)
    caughtUp = performance.now()
  }
  const load = async () => {
    // A server that has just started answers slowly with or without this work.
    refusals.note(await sendSlice())
    while (caughtUp === 0) {
      const slice = await sendSlice()
      refusals.note(slice)
      for (const one of slice.latencies) latencies.push(one)
    }
  }
  await Promise.all([watch(), load()])
  return { caughtUp, latencies }
}

/** As dear as one row, for it is asked ten times a second beside what is measured. */
async function isSomebodyDue({ db, clock }: Context): Promise<boolean> {
  const rows = await db.sql`SELECT 1 FROM employee_states
    WHERE tenant_id = (SELECT tenant_id FROM tenants LIMIT 1) AND next_due_at <= ${new Date(clock.now() - 2000)}
    ORDER BY next_due_at LIMIT 1`
  return rows.length > 0
}

/** Overdue for longer than the worker may rest. */
async function countDue({ db, clock }: Context): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`
    SELECT count(*) AS n FROM employee_states WHERE next_due_at <= ${new Date(clock.now() - 2000)}`
  return row!.n
}

async function countSteps({ db }: Context): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`SELECT count(*) AS n FROM score_history`
  return row!.n
}

/** The usual way: every row is computed anew by one statement; no history, no messages, no counts. */
async function updateAll(context: Context): Promise<number> {
  await inPlainSql(context, async tx => {
    await tx`DROP TABLE IF EXISTS usual_states`
    await tx`CREATE TABLE usual_states AS SELECT tenant_id, employee_id, risk, recovery, as_of, score
      FROM employee_states`
    await tx`ALTER TABLE usual_states ADD PRIMARY KEY (tenant_id, employee_id)`
    await tx`CREATE INDEX ON usual_states (tenant_id, score, employee_id)`
  })
  const start = performance.now()
  const now = new Date(context.clock.now())
  await inPlainSql(
    context,
    tx => tx`
      UPDATE usual_states s SET risk = s.risk * d.factor, recovery = s.recovery * d.factor, as_of = ${now},
        score = round(greatest(0, least(100, 75 + least(25, s.recovery * d.factor) + s.risk * d.factor)))
      FROM (SELECT tenant_id, employee_id,
          power(2, -(date_part('epoch', ${now}::timestamptz - as_of) / 86400 / 90)) AS factor
        FROM usual_states) d
      WHERE d.tenant_id = s.tenant_id AND d.employee_id = s.employee_id`,
  )
  return (performance.now() - start) / 1000
}
