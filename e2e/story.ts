// A small company with something to look at: people in every band, and the events that put them there.
import type { House } from './house.ts'

const PEOPLE = [
  { first_name: 'Ada', last_name: 'Moss', department: 'Finance' },
  { first_name: 'Ben', last_name: 'Okoro', department: 'Finance' },
  { first_name: 'Cleo', last_name: 'Marsh', department: 'Sales' },
  { first_name: 'Dan', last_name: 'Ruiz', department: 'Sales' },
  { first_name: 'Eva', last_name: 'Lind', department: 'Sales' },
  { first_name: 'Finn', last_name: 'Berg', department: '' },
].map(person => ({ ...person, email: `${person.first_name.toLowerCase()}@acme.test` }))

const EVENTS = [
  ['ada@acme.test', 'training.completed'],
  ['cleo@acme.test', 'sim.link_clicked'],
  ['dan@acme.test', 'sim.link_clicked'],
  ['dan@acme.test', 'sim.credential_submitted'],
  ['eva@acme.test', 'endpoint.malware_detected'],
  ['eva@acme.test', 'auth.mfa_disabled'],
] as const

export async function tellStory(house: House): Promise<void> {
  for (const person of PEOPLE) {
    const { status, body } = await house.api('POST', '/v1/employees', person)
    if (status !== 201) throw new Error(JSON.stringify(body))
  }
  for (const [email, event_type] of EVENTS) await sendEvent(house, email, event_type)
}

export async function sendEvent(house: House, email: string, event_type: string) {
  const { status, body } = await house.api('POST', '/v1/events/webhook', {
    source: 'story',
    event_type,
    employee: { email },
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

export async function findPerson(house: House, email: string) {
  return (await house.api('GET', `/v1/employees/by-email/${email}`)).body
}
