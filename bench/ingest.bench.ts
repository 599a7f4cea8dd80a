// ingest: POST /v1/events with auth, limits and deliveries on, beside the usual way and the limit.
import { createIngest } from '../server/src/events/ingest-queue.ts'
import { type Bench, goal } from './bench.ts'
import { checkIngested } from './check-rows.ts'
import { type Company, loadCompany, makeEvent } from './company.ts'
import { type Outcome, postRequest, putLoad, type Target } from './load.ts'
import { startProcess, startService } from './processes.ts'
import { createRandom } from './random.ts'
import { quantile } from './rounds.ts'
import { insertSameRows, openSameRows } from './same-rows.ts'
import { openStage } from './stage.ts'
import { subscribe } from './subscribe.ts'
import { fillUsualTables } from './usual-tables.ts'

const SECONDS = 4
const random = createRandom(5)

function nextRequest(company: Company): string {
  const { employee_email, details } = makeEvent(random, company.employees)
  return postRequest('/v1/events', company.key, { type: 'custom.vpn_anomaly', employee_email, details })
}

export const bench: Bench = {
  name: 'ingest',
  about: 'POST /v1/events over 256 connections',
  unit: 'events/s',
  size: { employees: 100_000, events: 1_000_000, connections: 256, rules: 40 },
  async open(size) {
    const stage = await openStage('company')
    const { context } = stage
    const company = await loadCompany(context, { employees: size.employees!, events: size.events! })
    await subscribe(context, company.tenant_id)
    await fillUsualTables(context, company, size.events!)
    await openSameRows(context)
    const { address } = stage
    const service = await startService(stage.dataDir)
    const usual = await startProcess(
      ['bench/usual-server.ts', address.host, String(address.port), address.user, address.database],
      {},
    )
    const checked = await checkIngested(context, company.tenant_id)
    let accepted = 0
    let refused = 0
    const load = async (target: Target, more = {}): Promise<Outcome> => {
      const next = () => nextRequest(company)
      const outcome = await putLoad(target, { connections: size.connections!, seconds: SECONDS, next, ...more })
      if (target === service.target) accepted += outcome.ok
      refused += outcome.refused
      return outcome
    }
    return {
      ways: {
        ours: async () => rate(await load(service.target)),
        usual: async () => rate(await load(usual.target)),
        limit: () => insertSameRows(context, company.tenant_id, SECONDS),
      },
      also: async ({ ours = 1, limit = 1 }) => {
        const half = await load(service.target, { rate: ours / 2, connections: 512 })
        const inProcess = await runInProcess()
        accepted += inProcess.count
        return {
          'p99 at half that load, ms': quantile(half.latencies, 0.99),
          'ingest function in process, events/s': inProcess.rate,
          'in process, share of the limit': inProcess.rate / limit,
        }
      },
      checks: async () => [
        { name: 'every request was answered 2xx', ok: refused === 0, detail: `${refused} others` },
        ...(await checked.after(accepted)),
      ],
      goals: ({ ours = 0, usual: other = 1, limit = 1 }, also) => [
        goal('at least 6 × the usual way', ours / other >= 6, ours / other),
        goal('at least 0.15 of the limit over HTTP', ours / limit >= 0.15, ours / limit),
        goal('at least 0.3 of the limit in process', also['in process, share of the limit']! >= 0.3, also['in process, share of the limit']!),
        goal('p99 at half load at most 100 ms', also['p99 at half that load, ms']! <= 100, also['p99 at half that load, ms']!),
      ],
      close: async () => {
        await service.stop()
        await usual.stop()
        await stage.close()
      },
    }

    async function runInProcess() {
      const ingest = createIngest(context)
      const start = performance.now()
      let count = 0
      const client = async () => {
        while (performance.now() - start < SECONDS * 1000) {
          const input = { ...makeEvent(random, company.employees), type: 'custom.vpn_anomaly', source: 'api' }
          await ingest(company.tenant_id, {
            inputs: [input],
            actor: 'key:bench',
            repeatable: null,
            answer: ([outcome]) => ({ status: 201, body: outcome }),
          })
          count++
        }
      }
      await Promise.all(Array.from({ length: size.connections! }, client))
      return { count, rate: (count * 1000) / (performance.now() - start) }
    }
  },
}

function rate({ ok, seconds }: Outcome): number {
  return ok / seconds
}
