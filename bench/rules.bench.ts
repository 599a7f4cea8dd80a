// rules: one event against 40 and 1,000 rules in memory, beside two rule engines on the same rules.
import { compileRules, evaluate, type Rule } from '../scoring/rules.ts'
import { createRandom } from '../server/src/demo/random.ts'
import { type Bench, goal } from './bench.ts'

const PER_TYPE = 4
const SEVERITIES = ['low', 'medium', 'high']
const EVENTS = 512

function makeRules(count: number): Rule[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `rule_${String(i).padStart(5, '0')}`,
    event_type: `custom.type_${Math.floor(i / PER_TYPE)}`,
    impact: -1 - (i % 30),
    cooldown: '0h',
    conditions: { severity: SEVERITIES[i % 3]!, 'metadata.attempts': { gte: i % 7 } },
    priority: 100 + (i % 9),
    exclusive: false,
    status: 'active' as const,
    created_at: i,
  }))
}

function makeEvents(rules: number) {
  const random = createRandom(3)
  return Array.from({ length: EVENTS }, (_, i) => ({
    type: `custom.type_${Math.floor(random() * Math.ceil(rules / PER_TYPE))}`,
    source: 'siem',
    timestamp: i,
    details: { severity: SEVERITIES[i % 3]!, metadata: { attempts: i % 10 } },
  }))
}

type Scored = (event: ReturnType<typeof makeEvents>[number]) => Promise<string[]> | string[]

/** json-rules-engine: one engine, conditions as it asks for them. */
async function withJsonRulesEngine(rules: readonly Rule[]): Promise<Scored> {
  const { Engine } = await import('json-rules-engine')
  const engine = new Engine([], { allowUndefinedFacts: true })
  for (const rule of rules) {
    engine.addRule({
      name: rule.id,
      conditions: {
        all: [
          { fact: 'type', operator: 'equal', value: rule.event_type },
          {
            fact: 'details',
            path: '$.severity',
            operator: 'equal',
            value: rule.conditions.severity,
          },
          {
            fact: 'details',
            path: '$.metadata.attempts',
            operator: 'greaterThanInclusive',
            value: (rule.conditions['metadata.attempts'] as { gte: number }).gte,
          },
        ],
      },
      event: { type: rule.id },
    })
  }
  return async event => (await engine.run(event)).events.map(one => one.type)
}

/** @gorules/zen-engine: one decision table that collects every row that matches. */
async function withZenEngine(rules: readonly Rule[]): Promise<Scored> {
  const { ZenEngine } = await import('@gorules/zen-engine')
  const decision = new ZenEngine().createDecision(Buffer.from(JSON.stringify(decisionTable(rules))))
  return async event => {
    const { result } = await decision.evaluate(event)
    return (result as { rule_id: string }[]).map(one => one.rule_id)
  }
}

function decisionTable(rules: readonly Rule[]) {
  const inputs = [
    { id: 'type', name: 'Type', field: 'type' },
    { id: 'severity', name: 'Severity', field: 'details.severity' },
    { id: 'attempts', name: 'Attempts', field: 'details.metadata.attempts' },
  ]
  const outputs = [{ id: 'rule_id', name: 'Rule', field: 'rule_id' }]
  const rows = rules.map(rule => ({
    _id: rule.id,
    type: JSON.stringify(rule.event_type),
    severity: JSON.stringify(rule.conditions.severity),
    attempts: `>= ${(rule.conditions['metadata.attempts'] as { gte: number }).gte}`,
    rule_id: JSON.stringify(rule.id),
  }))
  const table = { hitPolicy: 'collect', inputs, outputs, rules: rows }
  return {
    nodes: [
      { id: 'in', type: 'inputNode', name: 'in', position: { x: 0, y: 0 } },
      {
        id: 'table',
        type: 'decisionTableNode',
        name: 'table',
        position: { x: 1, y: 0 },
        content: table,
      },
      { id: 'out', type: 'outputNode', name: 'out', position: { x: 2, y: 0 } },
    ],
    edges: [
      { id: 'a', sourceId: 'in', targetId: 'table', type: 'edge' },
      { id: 'b', sourceId: 'table', targetId: 'out', type: 'edge' },
    ],
  }
}

function withOurs(rules: readonly Rule[]): Scored {
  const book = compileRules(rules)
  return event => evaluate(book, event, () => null).fired.map(rule => rule.id)
}

async function rateOf(score: Scored, rules: number, ms: number): Promise<number> {
  const events = makeEvents(rules)
  const start = performance.now()
  let count = 0
  while (performance.now() - start < ms) {
    for (let i = 0; i < 16; i++) {
      const answer = score(events[count++ % EVENTS]!)
      if (answer instanceof Promise) await answer
    }
  }
  return (count * 1000) / (performance.now() - start)
}

export const bench: Bench = {
  name: 'rules',
  about: 'one event against 1,000 rules in memory',
  bound: null,
  unit: 'events/s',
  size: { rules: 1000, few_rules: 40 },
  grows: ['rules'],
  async open(size) {
    const [many, few] = [makeRules(size.rules!), makeRules(size.few_rules!)]
    const ours = withOurs(many)
    const engines = { json: await withJsonRulesEngine(many), zen: await withZenEngine(many) }
    return {
      ways: {
        ours: () => rateOf(ours, size.rules!, 600),
        usual: async () => {
          const rates = [
            await rateOf(engines.json, size.rules!, 600),
            await rateOf(engines.zen, size.rules!, 600),
          ]
          return Math.max(...rates)
        },
      },
      also: async () => ({
        'ours with few rules, events/s': await rateOf(withOurs(few), size.few_rules!, 600),
        'json-rules-engine with few rules, events/s': await rateOf(
          await withJsonRulesEngine(few),
          size.few_rules!,
          600,
        ),
        'zen-engine with few rules, events/s': await rateOf(
          await withZenEngine(few),
          size.few_rules!,
          600,
        ),
      }),
      checks: async () => [await sameAnswers(ours, engines, size.rules!)],
      goals: ({ ours: rate = 0, usual = 1 }, also) => {
        const fewRate = also['ours with few rules, events/s']!
        const fewBest = Math.max(
          also['json-rules-engine with few rules, events/s']!,
          also['zen-engine with few rules, events/s']!,
        )
        return [
          goal('at least 10 × the better engine with all rules', rate / usual >= 10, rate / usual),
          goal(
            'at least 10 × the better engine with few rules',
            fewRate / fewBest >= 10,
            fewRate / fewBest,
          ),
          goal(
            'cost follows the rules of the type, not all rules (rate with all / with few ≥ 0.5)',
            rate / fewRate >= 0.5,
            rate / fewRate,
          ),
        ]
      },
      close: async () => {},
    }
  },
}

async function sameAnswers(ours: Scored, engines: Record<string, Scored>, rules: number) {
  for (const event of makeEvents(rules).slice(0, 100)) {
    const expected = [...(await ours(event))].sort().join()
    for (const [name, score] of Object.entries(engines)) {
      const got = [...(await score(event))].sort().join()
      if (got !== expected)
        return { name: 'all three give the same rules', ok: false, detail: name }
    }
  }
  return { name: 'all three give the same rules', ok: true }
}
