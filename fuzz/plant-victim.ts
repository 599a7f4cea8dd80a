// Fills the tenant that must stay unseen: one of everything, each text with a word that no answer may hold.
import type { Known } from './pools.ts'
import type { Stage } from './stage.ts'

export const CANARY = 'canaryzq'

const STEPS: readonly { path: string; kind: string; body: unknown }[] = [
  ...['a', 'b', 'c'].map(letter => ({
    path: '/v1/employees',
    kind: 'employees',
    body: {
      email: `${letter}@victim.test`,
      first_name: `Ada ${CANARY}`,
      last_name: `Moss ${CANARY}`,
      title: CANARY,
      department: `Dept ${CANARY}`,
      location: CANARY,
      manager_email: `m.${CANARY}@victim.test`,
    },
  })),
  {
    path: '/v1/rules',
    kind: 'rules',
    body: { name: CANARY, event_type: `sim.${CANARY}`, category: 'email', impact: -40 },
  },
  {
    path: '/v1/events',
    kind: 'events',
    body: {
      type: `custom.${CANARY}`,
      employee_email: 'a@victim.test',
      details: { description: CANARY, source_system: CANARY },
    },
  },
  {
    path: '/v1/webhooks',
    kind: 'webhooks',
    body: { url: `https://${CANARY}.example.com/x`, events: ['score.updated'] },
  },
]

/** Gives the secrets seen on the way. */
export async function plantVictim(stage: Stage, pools: Known): Promise<string[]> {
  const secrets: string[] = []
  const post = async (path: string, body?: unknown) => {
    const answer = await stage.send({
      method: 'POST',
      url: path,
      headers: {
        authorization: `Bearer ${stage.victim.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    if (answer.status > 299) throw new Error(`${path}: ${answer.body}`)
    return JSON.parse(answer.body) as Record<string, string>
  }
  let webhook = ''
  for (const { path, kind, body } of STEPS) {
    const made = await post(path, body)
    pools.learnForeign(kind, made.id!)
    if (made.email) pools.learnForeign('email', made.email)
    if (made.secret) secrets.push(made.secret)
    if (kind === 'webhooks') webhook = made.id!
    if (kind === 'employees') {
      const action = await post('/v1/actions', { employee_id: made.id, type: 'open_ticket' })
      pools.learnForeign('actions', action.id!)
    }
  }
  pools.learnForeign('deliveries', (await post(`/v1/webhooks/${webhook}/test`)).id!)
  const recovery = await post(`/v1/webhooks/${webhook}/recover`, { since: '2026-03-01T00:00:00Z' })
  pools.learnForeign('recovery_id', recovery.id!)
  pools.learnForeign('job_id', (await post('/v1/rules/recalculate', { scope: 'all' })).job_id!)
  return secrets
}
