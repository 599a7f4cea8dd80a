// ingest: POST /v1/events with auth, limits and deliveries on, beside the usual way and the limit.
import { createRandom } from '../server/src/demo/random.ts'
import { createIngest } from '../server/src/events/ingest-queue.ts'
import type { Context } from '../server/src/platform/context.ts'
import { type Bench, goal } from './bench.ts'
import { type Accepted, watchAccepted } from './check-rows.ts'
import { type Company, newEvent, openCompany } from './company.ts'
import { type Outcome, postRequest, putLoad } from './load.ts'
import { startService, startUsual } from './processes.ts'
import { watchRefusals } from './refusals.ts'
import { median, quantile } from './rounds.ts'
import { openSameRows, readShape } from './same-rows.ts'
import { NOWHERE, subscribe } from './subscribe.ts'
import { countUsual } from './usual-tables.ts'

const AGAIN = 5
const random = createRandom(5)
const rate = ({ ok, seconds }: Outcome) => ok / seconds

export const bench: Bench = {
  name: 'ingest',
  about: 'POST /v1/events over 256 connections',
  bound:
    "the CPU of both cores, more than half of it PostgreSQL's. An event leaves a row in " +
    'events, two shares, a row of history, a changed standing, two messages and two ' +
    'deliveries: about 32 entries in indexes, where the usual way writes 9, and these serve ' +
    'the lists, views, explanations and retries that the usual way does not have. With all 16 ' +
    'indexes dropped that no event needs itself, it took a sixth more events; HTTP and the client ' +
    'alone take a fifth of the time of an event, and with all that Node does besides two fifths: with a ' +
    'database that cost nothing it would be about 4 × the usual way. Six times the usual way is 0.6 of the limit, ' +
    'which does nothing but insert. Buffers of 6 GB instead of 2, and a larger young heap of Node, moved ' +
    'nothing. Of 28 ms that PostgreSQL took to write a group of 90 events 7.6 were events, 7.1 standings, 5 shares, ' +
    '3.7 deliveries, 2.3 history, 1.3 messages and 0.3 counts. Narrower keys would not do either: a random entry in an ' +
    'index of a million rows costs 13 µs with text ids as they are, 8 with a number for the tenant and UUIDs of ' +
    '16 bytes, 4.6 with numbers alone, so that about 2.5 × could be had. The p99 at half load was between 54 and ' +
    '106 ms in five runs of a day, and 108 to 127 in a phase in which the machine was half as fast; where other work ' +
    'took it for over a second, some of those who came then were answered 503, to come again',
  unit: 'events/s',
  size: { employees: 100_000, events: 1_000_000, connections: 256, rules: 40, seconds: 4 },
  grows: ['employees', 'events'],
  async open(size) {
    const { stage, company } = await openCompany(size, { compared: true })
    const { context } = stage
    const { connections = 256, seconds = 4 } = size
    await subscribe(context, company.tenant_id, NOWHERE)
    const [service, usual] = [await startService(stage), await startUsual(stage)]
    const accepted = await watchAccepted(context, company.tenant_id)
    const usualBefore = await countUsual(context)
    const limit = await openSameRows(context, company.tenant_id)
    const began = Date.now()
    const refusals = watchRefusals()
    let usualOk = 0
    const next = () => postRequest('/v1/events', company.key, newEvent(random, company))
    const load = async (more: { rate?: number; connections?: number } = {}) => {
      const asked = { connections, seconds, next, seen: accepted.note, ...more }
      const outcome = await putLoad([service.target], asked)
      refusals.note(outcome)
      return outcome
    }
    return {
      ways: {
        ours: async () => rate(await load()),
        usual: async () => {
          const outcome = await putLoad([usual.target], { connections, seconds, next })
          usualOk += outcome.ok
          refusals.note(outcome, 'the usual way')
          return rate(outcome)
        },
        limit: async () =>
          limit.insertFor(seconds, await readShape(context, company.tenant_id, began)),
      },
      also: async ({ ours = 1, limit: most = 1 }) => {
        const [halves, insides]: [number[][], number[]] = [[], []]
        for (let i = 0; i < AGAIN; i++) {
          const half = await load({ rate: ours / 2, connections: 2 * connections })
          halves.push(half.latencies)
          insides.push(await runInProcess(context, company, accepted, { connections, seconds }))
        }
        const at = (q: number) => median(halves.map(latencies => quantile(latencies, q)))
        const inProcess = median(insides)
        const shape = await readShape(context, company.tenant_id, began)
        return {
          'p50 at half that load, ms': at(0.5),
          'p99 at half that load, ms': at(0.99),
          'ingest function in process, events/s': inProcess,
          'in process, share of the limit': inProcess / most,
          'shares per event': shape.shares,
          'history rows per event': shape.steps,
          'messages per event': shape.messages,
        }
      },
      checks: async () => [
        refusals.check(),
        await checkRules(context, company.tenant_id, size.rules!),
        ...(await accepted.check()),
        {
          name: 'the usual way wrote what it accepted',
          ok: (await countUsual(context)) - usualBefore === usualOk,
        },
      ],
      goals: ({ ours = 0, usual: other = 1, limit: most = 1 }, also) => {
        const inside = also['in process, share of the limit']!
        const p99 = also['p99 at half that load, ms']!
        return [
          goal('at least 6 × the usual way', ours / other >= 6, ours / other),
          goal('at least 0.15 of the limit over HTTP', ours / most >= 0.15, ours / most),
          goal('at least 0.3 of the limit in process', inside >= 0.3, inside),
          goal('p99 at half load at most 100 ms', p99 <= 100, p99),
        ]
      },
      close: async () => {
        await service.stop()
        await usual.stop()
        await stage.close()
      },
    }
  },
}

async function checkRules({ db }: Context, tenant_id: string, wanted: number) {
  const [row] = await db.sql<{ n: number }[]>`
    SELECT count(*) AS n FROM rules WHERE tenant_id = ${tenant_id} AND status = 'active'`
  return { name: 'as many rules as said', ok: row!.n === wanted, detail: `${row!.n} of ${wanted}` }
}

async function runInProcess(
  context: Context,
  company: Company,
  accepted: Accepted,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const ingest = createIngest(context)
  const start = performance.now()
  let count = 0
  const client = async () => {
    while (performance.now() - start < seconds * 1000) {
      const free = { timestamp: null, external_id: null, keep_unmatched: false }
      const input = { ...newEvent(random, company), source: 'api', ...free }
      const { body } = await ingest(company.tenant_id, {
        inputs: [input],
        actor: 'key:bench',
        repeatable: null,
        answer: ([outcome]) => ({ status: 201, body: outcome }),
      })
      accepted.add((body as { event: { id: string } }).event.id)
      count++
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  return (count * 1000) / (performance.now() - start)
}
