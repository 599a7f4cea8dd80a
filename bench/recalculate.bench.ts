// recalculate: everybody's events replayed after a rule has changed, beside row-by-row recalculation.
import { asOperator } from '../server/src/accounts/identity.ts'
import type { Context } from '../server/src/platform/context.ts'
import { findJob, type JobRow } from '../server/src/replays/jobs.queries.ts'
import { requestRecalculation } from '../server/src/replays/request-jobs.ts'
import { changeRule } from '../server/src/rules/change-rules.ts'
import { limitsOf } from '../server/src/tenants/plans.ts'
import { type Bench, goal } from './bench.ts'
import { checkNumbers } from './check-rows.ts'
import { openCompany } from './company.ts'
import { RAISED } from './fill-company.ts'
import { readMemory, startService } from './processes.ts'
import { median } from './rounds.ts'
import { findRule } from './rule-by-type.ts'
import { recalculateUsually } from './usual-recalculation.ts'

const TYPE = 'sim.link_clicked'

export const bench: Bench = {
  name: 'recalculate',
  about: 'POST /v1/rules/recalculate of everybody after a rule of one event in eight has changed',
  bound:
    "the CPU of both cores, seven tenths of it PostgreSQL's: a third of that reads logs where they lie, " +
    'the rest writes what changed (events, shares, a row of history, a standing with six indexes, ' +
    'counts). Its pieces are committed one after the other, and wait for no disk where no webhook listens, which is a ' +
    'tenth. Larger pieces are done a sixth sooner, but keep events waiting two to four times as long',
  unit: 'events/s',
  size: { employees: 100_000, events: 1_000_000, usual_seconds: 4 },
  grows: ['employees', 'events'],
  async open(size) {
    const { stage, company } = await openCompany(size, { compared: true })
    const { context } = stage
    const { tenant_id } = company
    const rule = await findRule(context, tenant_id, TYPE)
    const worker = await startService(stage, ['worker'])
    const memory: number[] = []
    const watch = setInterval(() => memory.push(readMemory(worker.pid)), 200)
    const jobs: JobRow[] = []
    let [impact, usualImpact, usualNext] = [rule.impact, -2, 0]
    return {
      ways: {
        ours: async () => {
          impact = impact === -25 ? -20 : -25
          await setImpact(context, tenant_id, rule.id, impact)
          const job = await runJob(context, tenant_id, 'all', false)
          jobs.push(job)
          return (job.events * 1000) / (job.finished_at!.getTime() - job.started_at!.getTime())
        },
        usual: async () => {
          usualImpact = usualImpact === -2 ? -3 : -2
          await context.db
            .sql`UPDATE usual_rules SET impact = ${usualImpact} WHERE rule_id = ${`rule_${TYPE}_1`}`
          const { employees = 1, usual_seconds = 4 } = size
          const done = await recalculateUsually(context, usualNext, employees, usual_seconds)
          usualNext = done.next
          return done.rate
        },
      },
      also: async () => {
        const third = Math.max(1, Math.floor(memory.length / 3))
        const seconds = (job: JobRow) =>
          (job.finished_at!.getTime() - job.started_at!.getTime()) / 1000
        return {
          'seconds for everybody': median(jobs.map(seconds)),
          'scores changed': median(jobs.map(job => job.changed)),
          'memory of the worker in the first third, MB': median(memory.slice(0, third)),
          'memory of the worker in the last third, MB': median(memory.slice(-third)),
        }
      },
      checks: async () => {
        const one = { department: 'Department 7' }
        const again = await runJob(context, tenant_id, one, true)
        return [
          {
            name: 'everybody was replayed, with every event',
            ok: jobs.every(job => job.processed === size.employees && job.events >= size.events!),
            detail: `${jobs[0]?.processed} people, ${jobs[0]?.events} events`,
          },
          { name: 'once more changes nobody', ok: again.changed === 0 && again.processed > 0 },
          ...(await checkNumbers(context, tenant_id)),
        ]
      },
      goals: ({ ours = 0, usual = 1 }, also) => {
        const early = also['memory of the worker in the first third, MB']!
        const growth = also['memory of the worker in the last third, MB']! / Math.max(1, early)
        return [
          goal('at least 10 × the usual way', ours / usual >= 10, ours / usual),
          goal('at least 30,000 events per second', ours >= 30_000, ours),
          goal('memory flat (last third at most 1.25 × the first)', growth <= 1.25, growth),
        ]
      },
      close: async () => {
        clearInterval(watch)
        await worker.stop()
        await stage.close()
      },
    }
  },
}

async function setImpact(context: Context, tenant_id: string, rule_id: string, impact: number) {
  await asOperator(context, tenant_id, changeRule, rule_id, { impact })
}

async function runJob(
  context: Context,
  tenant_id: string,
  scope: 'all' | { department: string },
  dry_run: boolean,
): Promise<JobRow> {
  const asked = [limitsOf('enterprise', RAISED), { scope }, dry_run] as const
  const { job_id } = await asOperator(context, tenant_id, requestRecalculation, ...asked)
  for (;;) {
    const job = await context.db.inTenant(tenant_id, tx => findJob(tx, tenant_id, job_id))
    if (job?.status === 'failed') throw new Error(`the recalculation failed: ${job.error}`)
    if (job?.finished_at) return job
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
