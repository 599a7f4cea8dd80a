// ingest-one: one client, one event after the other: a lone event is not made to wait.
import { createRandom } from '../server/src/demo/random.ts'
import { type Bench, goal } from './bench.ts'
import { watchAccepted } from './check-rows.ts'
import { newEvent, openCompany } from './company.ts'
import { postRequest, putLoad, type Target } from './load.ts'
import { startService, startUsual } from './processes.ts'
import { watchRefusals } from './refusals.ts'
import { quantile } from './rounds.ts'
import { NOWHERE, subscribe } from './subscribe.ts'

export const bench: Bench = {
  name: 'ingest-one',
  about: 'POST /v1/events by one client, no concurrency',
  bound:
    'what a transaction costs before it writes a row: eight tables are written and four read, so an ' +
    'event takes 1.6 ms of PostgreSQL and 1.8 ms of Node, partly at once, in two round trips where ' +
    'the usual way makes eight. With all 16 indexes dropped that no ' +
    'event needs itself, it was 3 % faster. Of the time of PostgreSQL a third writes, a quarter makes ' +
    'statements ready to run, a seventh looks up people, a fourteenth commits; that of Node is spread ' +
    'over some hundred functions, none of which takes a twentieth, and a tenth of it collects garbage. Rows given as ' +
    'values instead of arrays would take PostgreSQL a quarter of a millisecond less, for which every statement ' +
    'would stand there twice',
  unit: 'events/s',
  size: { employees: 100_000, events: 1_000_000, seconds: 4 },
  grows: ['employees', 'events'],
  async open(size) {
    const { stage, company } = await openCompany(size, { compared: true })
    const { context } = stage
    const { seconds = 4 } = size
    await subscribe(context, company.tenant_id, NOWHERE)
    const [service, usual] = [await startService(stage), await startUsual(stage)]
    const accepted = await watchAccepted(context, company.tenant_id)
    const random = createRandom(6)
    const next = () => postRequest('/v1/events', company.key, newEvent(random, company))
    const latencies: number[] = []
    const refusals = watchRefusals()
    const run = async (target: Target, seen?: (answer: string) => void) => {
      const outcome = await putLoad([target], { connections: 1, seconds, next, seen })
      refusals.note(outcome, seen ? 'ours' : 'the usual way')
      if (seen) latencies.push(...outcome.latencies)
      return outcome.ok / outcome.seconds
    }
    return {
      ways: {
        ours: () => run(service.target, accepted.note),
        usual: () => run(usual.target),
      },
      also: async () => ({
        'p50, ms': quantile(latencies, 0.5),
        'p99, ms': quantile(latencies, 0.99),
      }),
      checks: async () => [refusals.check(), ...(await accepted.check())],
      goals: ({ ours = 0, usual: other = 1 }) => [
        goal('at least as many as the usual way', ours / other >= 1, ours / other),
      ],
      close: async () => {
        await service.stop()
        await usual.stop()
        await stage.close()
      },
    }
  },
}
