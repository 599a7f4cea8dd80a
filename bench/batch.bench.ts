// batch: POST /v1/events/batch with a thousand events each, beside the limit.
import { createRandom } from '../server/src/demo/random.ts'
import { type Bench, goal } from './bench.ts'
import { watchAccepted } from './check-rows.ts'
import { newEvent, openCompany } from './company.ts'
import { postRequest, putLoad } from './load.ts'
import { startService } from './processes.ts'
import { watchRefusals } from './refusals.ts'
import { openSameRows, readShape } from './same-rows.ts'
import { NOWHERE, subscribe } from './subscribe.ts'

export const bench: Bench = {
  name: 'batch',
  about: 'POST /v1/events/batch of 1,000 events',
  bound:
    'the CPU of both cores, two thirds of it of PostgreSQL: 0.32 ms an event. A batch is one ' +
    'transaction and so one backend; two of them run at once, although they nearly always have ' +
    'somebody in common, because the second leaves those people to a turn of their own at its end',
  unit: 'events/s',
  size: { employees: 100_000, events: 1_000_000, batch: 1000, connections: 4, seconds: 5 },
  grows: ['employees', 'events'],
  async open(size) {
    const { stage, company } = await openCompany(size, { compared: true })
    const { context } = stage
    const { connections = 4, seconds = 5, batch = 1000 } = size
    await subscribe(context, company.tenant_id, NOWHERE)
    const service = await startService(stage)
    const accepted = await watchAccepted(context, company.tenant_id)
    const limit = await openSameRows(context, company.tenant_id)
    const random = createRandom(8)
    const began = Date.now()
    const refusals = watchRefusals()
    const next = () => {
      const events = Array.from({ length: batch }, () => newEvent(random, company))
      return postRequest('/v1/events/batch', company.key, { events })
    }
    return {
      ways: {
        ours: async () => {
          const before = accepted.count()
          const asked = { connections, seconds, next, seen: accepted.note }
          const outcome = await putLoad([service.target], asked)
          refusals.note(outcome)
          return (accepted.count() - before) / outcome.seconds
        },
        limit: async () =>
          limit.insertFor(seconds, await readShape(context, company.tenant_id, began)),
      },
      checks: async () => [refusals.check(), ...(await accepted.check())],
      goals: ({ ours = 0, limit: most = 1 }) => [
        goal('at least 0.35 of the limit', ours / most >= 0.35, ours / most),
      ],
      close: async () => {
        await service.stop()
        await stage.close()
      },
    }
  },
}
