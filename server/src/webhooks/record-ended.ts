// Collects what became of deliveries and records it in natural groups: those that end meanwhile go with the next.
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import type { Delivery } from './claim-deliveries.ts'
import { releaseLeases } from './claims.queries.ts'
import { createTurns } from './fair-turns.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { type Ended, isOutcome } from './send-deliveries.ts'

const RECORDERS = 3
const MOST_RECORDED = 100
const AGAIN_MS = 250

export type Recorder = { add(tenant_id: string, ended: Ended): void }

/** `recorded` is called after the commit; until then every outcome is kept and tried again. */
export function createRecorder(
  context: Context,
  recorded: (tenant_id: string, group: readonly Ended[]) => void,
): Recorder {
  const waiting = new Map<string, Ended[]>()
  const turns = createTurns(RECORDERS, recordTurn)

  async function recordTurn(tenant_id: string): Promise<boolean> {
    const list = waiting.get(tenant_id) ?? []
    const group = list.slice(0, MOST_RECORDED)
    try {
      await record(context, tenant_id, group)
    } catch (error) {
      context.log.warn({ err: error }, 'deliveries could not be recorded, will be tried again')
      if (!isPassing(error)) list.splice(0, group.length, ...group.map(withoutAnswer))
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
      list.push(ended)
      turns.add(tenant_id)
    },
  }
}

async function record(context: Context, tenant_id: string, group: readonly Ended[]): Promise<void> {
  const outcomes = group.filter(isOutcome)
  const unsent = group.filter((one): one is Delivery => !isOutcome(one))
  if (unsent.length > 0) {
    await context.db.inTenant(tenant_id, tx => releaseLeases(tx, tenant_id, unsent))
  }
  if (outcomes.length > 0) await recordOutcomes(context, tenant_id, outcomes)
}

function isPassing(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAVAILABLE'
}

/** An answer the database will not hold must not keep the attempt from being counted. */
function withoutAnswer(one: Ended): Ended {
  if (!isOutcome(one)) return one
  return { ...one, reply: { ...one.reply, headers: {}, body: Buffer.alloc(0) } }
}
