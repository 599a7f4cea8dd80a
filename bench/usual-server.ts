// The usual way, honest and idiomatic: the same framework, driver and database, one transaction of six statements
// for each event, against plain tables with the indexes their lists need.
import Fastify from 'fastify'
import postgres from 'postgres'

const [host = '', port = '', user = '', password = '', database = ''] = process.argv.slice(2)
const path = `${host}/.s.PGSQL.${port}`
const sql = postgres({ path, user, password, database, max: 20, onnotice() {} })
const HALF_LIFE_MS = 90 * 86_400_000

const server = Fastify({ bodyLimit: 262_144 })
const body = {
  type: 'object',
  required: ['type', 'employee_email'],
  properties: {
    type: { type: 'string' },
    employee_email: { type: 'string' },
    details: { type: 'object', additionalProperties: true },
  },
}

type NewEvent = { type: string; employee_email: string; details?: object }
type Person = { employee_id: string; risk: number; recovery: number; as_of: Date }
type Rule = { rule_id: string; impact: number; cooldown_ms: number }

server.post('/v1/events', { schema: { body } }, async (request, reply) => {
  const { type, employee_email, details = {} } = request.body as NewEvent
  const id = `evt_${crypto.randomUUID()}`
  const now = new Date()
  const answer = await sql.begin(async tx => {
    const [person] = await tx<Person[]>`
      SELECT employee_id, risk, recovery, as_of FROM usual_employees WHERE email = ${employee_email} FOR UPDATE`
    if (!person) return null
    const rules = await tx<Rule[]>`
      SELECT r.rule_id, r.impact, r.cooldown_ms FROM usual_rules r WHERE r.event_type = ${type}
        AND NOT EXISTS (SELECT 1 FROM usual_events e WHERE e.employee_id = ${person.employee_id}
          AND e.rule_id = r.rule_id AND e.timestamp > ${now}::timestamptz - r.cooldown_ms * interval '1 ms')`
    const impact = rules.reduce((sum, rule) => sum + rule.impact, 0)
    const factor = 2 ** -((now.getTime() - person.as_of.getTime()) / HALF_LIFE_MS)
    const risk = person.risk * factor + Math.min(0, impact)
    const recovery = person.recovery * factor + Math.max(0, impact)
    const score = Math.round(Math.min(100, Math.max(0, 75 + Math.min(25, recovery) + risk)))
    await tx`INSERT INTO usual_events (event_id, employee_id, type, timestamp, impact, rule_id, details)
      VALUES (${id}, ${person.employee_id}, ${type}, ${now}, ${impact}, ${rules[0]?.rule_id ?? null}, ${tx.json(details as never)})`
    await tx`UPDATE usual_employees SET risk = ${risk}, recovery = ${recovery}, as_of = ${now}, score = ${score}
      WHERE employee_id = ${person.employee_id}`
    await tx`INSERT INTO usual_history (employee_id, at, score, event_id)
      VALUES (${person.employee_id}, ${now}, ${score}, ${id})`
    await tx`INSERT INTO usual_outbox (event_id, body, due_at)
      VALUES (${id}, ${JSON.stringify({ event: 'score.updated', data: { id, score } })}, ${now})`
    return { id, type, employee_id: person.employee_id, impact, score_after: score }
  })
  return answer ? reply.code(201).send(answer) : reply.code(404).send({ error: 'no such employee' })
})

console.log(await server.listen({ host: '127.0.0.1', port: 0 }))
process.once('SIGTERM', async () => {
  await server.close()
  await sql.end()
  process.exit(0)
})
