// Every address of the dashboard, and one of each thing that has a page of its own.
import type { Page } from 'playwright-core'
import { type Company, findPerson } from './company.ts'
import { startReceiver } from './receiver.ts'

/** With the title by which each is known to have come, and what its tab says where several share one. */
export const PAGES: readonly (readonly [path: string, title: string, sign?: string])[] = [
  ['/', 'Overview'],
  ['/employees', 'Employees'],
  ['/employees/import', 'Import people'],
  ['/employees/:person', 'Dan Ruiz'],
  ['/rules', 'Rules'],
  ['/rules/:rule', 'Malware detected'],
  ['/rules/new', 'New rule'],
  ['/rules/recalculate', 'Recalculate'],
  ['/events', 'Events'],
  ['/events/:event', 'auth.mfa_disabled'],
  ['/events/retract', 'Retract events'],
  ['/events/unmatched', 'Unmatched events'],
  ['/actions', 'Actions', 'Nothing was set off'],
  ['/actions?tab=approvals', 'Actions', 'Nothing waits for approval'],
  ['/actions?tab=policies', 'Actions', 'New policy'],
  ['/webhooks', 'Webhooks'],
  ['/webhooks/:webhook', 'Hook of the journeys'],
  ['/webhooks/deliveries/:delivery', 'webhook.test'],
  ['/keys', 'API keys'],
  ['/apps', 'OAuth apps'],
  ['/users', 'Users'],
  ['/audit', 'Audit log'],
  ['/settings', 'Settings'],
  ['/profile', 'Profile and security'],
  ['/there-is-no-such-page', 'Not found'],
]

/** Turns `:person` and the like of an address into the id of one. */
export async function addressesIn(company: Company): Promise<(path: string) => string> {
  const { url } = await startReceiver()
  const description = 'Hook of the journeys'
  const wanted = { url, description, events: ['employee.created', 'score.updated'] }
  const webhook = (await company.api('POST', '/v1/webhooks', wanted)).body
  const [delivery, rules, events, person] = await Promise.all([
    company.api('POST', `/v1/webhooks/${webhook.id}/test`),
    company.api('GET', '/v1/rules?per_page=100'),
    company.api('GET', '/v1/events?per_page=1'),
    findPerson(company, 'dan@acme.test'),
  ])
  const ids: Record<string, string> = {
    person: person.id,
    rule: rules.body.data.find((one: any) => one.name === 'Malware detected').id,
    event: events.body.data[0].id,
    webhook: webhook.id,
    delivery: delivery.body.id,
  }
  return path => path.replace(/:(\w+)/, (_, name) => ids[name]!)
}

/** Everything this page waits for has come. */
export async function whole(page: Page, title?: string, sign?: string): Promise<void> {
  if (title)
    await page.waitForFunction(wanted => document.title === wanted, `${title} · Bellwether`)
  if (sign) await page.getByText(sign).first().waitFor()
  await page.locator('h1, h2').first().waitFor()
  await page.waitForFunction(() => !document.querySelector('.mantine-Skeleton-root'))
}
