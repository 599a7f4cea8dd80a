// People named like the words of a tenant's configuration, by a seed: each is erased, and nothing else may be touched.
import { pick, type Random } from '../server/src/demo/random.ts'
import { listTouched, readTenantRows } from '../server/test/person-rows.ts'
import type { Caller, Stage } from './stage.ts'

/** What the configuration consists of: values, keys, operators, kinds, and parts of names and addresses. */
export const WORDS: readonly string[] = [
  ...['not_in', 'not', 'in', 'hooks', 'acme', 'severity', 'high', 'low', 'Engineering', 'active'],
  ...['yellow', 'Loud', 'click', 'custom', 'seen', 'custom.seen', 'employee', 'created', 'null'],
  ...['event.ingested', 'employee.created', 'employee.erased', 'erased', 'invalid', 'key', 'emp_'],
  ...[
    'true',
    'text',
    'details',
    'https',
    'https://hooks.acme.example',
    'example',
    'com',
    'a',
    '{}',
  ],
]

const SEEN = 'custom.seen'

export type People = {
  /** One of them comes, does something and is erased; what was touched beside it. */
  step(): Promise<string[]>
}

/** Invariant: nobody else works in this tenant. */
export async function openPeople(stage: Stage, tenant: Caller, random: Random): Promise<People> {
  const post = async (path: string, body: object) => {
    const answer = await stage.send({
      method: 'POST',
      url: path,
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    })
    return { status: answer.status, body: JSON.parse(answer.body) as Record<string, string> }
  }
  await configure(post)
  const { db } = stage.context
  let n = 0
  const step = async () => {
    const person = makePerson(random, ++n)
    const { status, body } = await post('/v1/employees', person)
    if (status !== 201) return [`somebody was not created: ${status} ${JSON.stringify(person)}`]
    const details = { severity: pick(random, WORDS), [pick(random, WORDS)]: pick(random, WORDS) }
    await post('/v1/events', { type: SEEN, employee_email: person.email, details })
    const action = { employee_id: body.id, type: 'open_ticket', note: pick(random, WORDS) }
    if (random() < 0.3) await post('/v1/actions', action)
    const before = await readTenantRows(db, tenant.tenant_id)
    const erased = await post(`/v1/employees/${body.id}/erase`, { confirm: 'erase' })
    const after = await readTenantRows(db, tenant.tenant_id)
    const later = await post('/v1/events', LATER)
    const touched = listTouched(before, after, body.id!).map(one => `an erasure touched ${one}`)
    return [
      ...touched,
      ...(erased.status === 200 ? [] : [`an erasure was answered ${erased.status}`]),
      ...(later.status === 201 ? [] : [`an event after an erasure was answered ${later.status}`]),
    ]
  }
  return { step }
}

const LATER = {
  type: SEEN,
  employee_email: 'not.in@acme.example',
  details: { severity: 'high', text: 'not in, hooks acme, active yellow' },
}

/** Made of the same words as the people. */
async function configure(
  post: (path: string, body: object) => Promise<{ status: number; body: object }>,
): Promise<void> {
  const url = 'https://hooks.acme.example/employee.created/not_in?severity=high'
  const events = ['event.ingested', 'employee.created', 'employee.deactivated', 'action.triggered']
  const conditions = { severity: { not_in: ['low', 'null'] }, 'not.in': { exists: false } }
  const made = [
    await post('/v1/webhooks', { url, description: 'Engineering hooks acme', events }),
    await post('/v1/rules', {
      ...{ name: 'Loud click', event_type: SEEN, category: 'custom', impact: -3 },
      conditions,
    }),
    await post('/v1/employees', {
      ...{ email: LATER.employee_email, first_name: 'not', last_name: 'in' },
      ...{ department: 'Engineering', title: 'severity high' },
    }),
    await post('/v1/events', LATER),
  ]
  if (made.some(one => one.status !== 201)) throw new Error(JSON.stringify(made))
}

function makePerson(random: Random, n: number) {
  const word = () => pick(random, WORDS)
  const plain = () => word().replaceAll(/[^A-Za-z_.]/g, '') || 'x'
  return {
    email: `${plain()}${random() < 0.5 ? '' : n}@${plain()}.${n}`,
    first_name: word(),
    last_name: random() < 0.3 ? `${word()} ${word()}` : word(),
    department: word(),
    title: word(),
    location: word(),
    manager_email: random() < 0.3 ? 'manager@acme.example' : '',
  }
}
