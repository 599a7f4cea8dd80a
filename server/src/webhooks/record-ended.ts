// Collects what became of deliveries and records it in natural groups: those that end meanwhile go with the next.
import type { Context } from '../platform/context.ts'
import { isUnavailable } from '../platform/errors.ts'
import { createOutageFilter } from '../platform/once-a-minute.ts'
import { type Delivery, giveBack } from './claim-deliveries.ts'
import { createTurns, type Width } from './fair-turns.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { type Ended, isOutcome } from './send-deliveries.ts'

const RECORDERS: Width = { few: 1, many: 3 }
const MOST_RECORDED = 200
const AGAIN_MS = 250
/** Who waits longer than this for the database should not take on more. */
const BEHIND_MS = 500

export type Recorder = {
  add(tenant_id: string, ended: Ended): void
  /**
   * Whether something of the tenant has been waiting for long. Its lease may run out meanwhile, and who then
   * claims again would send again what it has sent already.
   */
  isBehind(tenant_id: string): boolean
}

type Waiting = { readonly ended: Ended; readonly since: number }

/** `recorded` is called after the commit; until then every outcome is kept and tried again. */
export function createRecorder(
  context: Context,
  recorded: (tenant_id: string, group: readonly Ended[]) => void,
): Recorder {
  const waiting = new Map<string, Waiting[]>()
  const turns = createTurns(RECORDERS, recordTurn)
  const isNews = createOutageFilter(context.clock)

  async function recordTurn(tenant_id: string): Promise<boolean> {
    const list = waiting.get(tenant_id) ?? []
    const group = list.slice(0, MOST_RECORDED).map(one => one.ended)
    try {
      await recordGroup(context, tenant_id, group)
    } catch (error) {
      if (isNews('record', error)) {
        context.log.warn({ err: error }, 'deliveries could not be recorded, will be tried again')
      }
      setTimeout(() => turns.add(tenant_id), AGAIN_MS)
      return false
    }
    list.splice(0, group.length)
    if (list.length === 0) waiting.delete(tenant_id)
    recorded(tenant_id, group)
    return list.length > 0
  }

  return {
    add: (tenant_id, ended) => {
      const list = waiting.get(tenant_id) ?? []
      waiting.set(tenant_id, list)
      list.push({ ended, since: performance.now() })
      turns.add(tenant_id)
    },
    isBehind: tenant_id => {
      const first = waiting.get(tenant_id)?.[0]
      return first !== undefined && performance.now() - first.since > BEHIND_MS
    },
  }
}

/** A group that fails by its own fault is taken apart, so that one bad outcome spoils no other. */
async function recordGroup(context: Context, tenant_id: string, group: readonly Ended[]) {
  try {
    await record(context, tenant_id, group)
  } catch (error) {
    if (isUnavailable(error)) throw error
    for (const one of group) await recordAlone(context, tenant_id, one)
  }
}

/** Without its answer if need be; what cannot be recorded at all is sent again when its lease is over. */
async function recordAlone(context: Context, tenant_id: string, one: Ended): Promise<void> {
  for (const attempt of [one, withoutAnswer(one)]) {
    try {
      return await record(context, tenant_id, [attempt])
    } catch (error) {
      if (isUnavailable(error)) throw error
      context.log.error({ err: error }, 'the outcome of a delivery could not be recorded')
    }
  }
}

async function record(context: Context, tenant_id: string, group: readonly Ended[]): Promise<void> {
  const outcomes = group.filter(isOutcome)
  const unsent = group.filter((one): one is Delivery => !isOutcome(one))
  if (unsent.length > 0) await giveBack(context, tenant_id, unsent)
  if (outcomes.length > 0) await recordOutcomes(context, tenant_id, outcomes)
}

/** An answer the database will not hold must not keep the attempt from being counted. */
function withoutAnswer(one: Ended): Ended {
  if (!isOutcome(one)) return one
  return { ...one, reply: { ...one.reply, headers: {}, body: Buffer.alloc(0) } }
}
