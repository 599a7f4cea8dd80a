// The map of the dashboard: which address shows which page; each is loaded when it is first needed.
import {
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
} from '@tanstack/react-router'
import { parseSearch, printSearch } from './address.ts'
import { lazyPage } from './load-page.ts'
import { FailedPage, MissingPage, WaitingPage } from './other-pages.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: MissingPage })

type Own = { remountDeps?: () => null }

function page<P extends string>(path: P, component: RouteComponent, own: Own = {}) {
  return createRoute({
    ...own,
    getParentRoute: () => root,
    path,
    component,
    validateSearch: (search: Record<string, unknown>) =>
      search as Record<string, string | undefined>,
  })
}

const overview = lazyPage(() => import('../scores/overview-page.tsx'), 'OverviewPage')
const employees = lazyPage(() => import('../employees/employees-page.tsx'), 'EmployeesPage')
const importing = lazyPage(() => import('../employees/import-page.tsx'), 'ImportPage')
const employee = lazyPage(() => import('../employees/employee-page.tsx'), 'EmployeePage')
const rules = lazyPage(() => import('../rules/rules-page.tsx'), 'RulesPage')
const rule = lazyPage(() => import('../rules/rule-page.tsx'), 'RulePage')
const recalculate = lazyPage(() => import('../rules/recalculate-page.tsx'), 'RecalculatePage')
const events = lazyPage(() => import('../events/events-page.tsx'), 'EventsPage')
const event = lazyPage(() => import('../events/event-page.tsx'), 'EventPage')
const retract = lazyPage(() => import('../events/retract-page.tsx'), 'RetractPage')
const unmatched = lazyPage(() => import('../events/unmatched-page.tsx'), 'UnmatchedPage')
const actions = lazyPage(() => import('../actions/actions-page.tsx'), 'ActionsPage')
const webhooks = lazyPage(() => import('../webhooks/webhooks-page.tsx'), 'WebhooksPage')
const webhook = lazyPage(() => import('../webhooks/webhook-page.tsx'), 'WebhookPage')
const delivery = lazyPage(() => import('../webhooks/delivery-page.tsx'), 'DeliveryPage')
const keys = lazyPage(() => import('../keys/keys-page.tsx'), 'KeysPage')
const apps = lazyPage(() => import('../oauth/apps-page.tsx'), 'AppsPage')
const users = lazyPage(() => import('../accounts/users-page.tsx'), 'UsersPage')
const profile = lazyPage(() => import('../accounts/profile-page.tsx'), 'ProfilePage')
const audit = lazyPage(() => import('../audit/audit-page.tsx'), 'AuditPage')
const settings = lazyPage(() => import('../tenants/settings-page.tsx'), 'SettingsPage')

const tree = root.addChildren([
  page('/', overview),
  page('/employees', employees),
  page('/employees/import', importing),
  page('/employees/$id', employee),
  page('/rules', rules),
  page('/rules/recalculate', recalculate),
  // A rule that was made goes on in the editor it was written in.
  page('/rules/$id', rule, { remountDeps: () => null }),
  page('/events', events),
  page('/events/unmatched', unmatched),
  page('/events/retract', retract),
  page('/events/$id', event),
  page('/actions', actions),
  page('/webhooks', webhooks),
  page('/webhooks/deliveries/$id', delivery),
  page('/webhooks/$id', webhook),
  page('/keys', keys),
  page('/apps', apps),
  page('/users', users),
  page('/audit', audit),
  page('/settings', settings),
  page('/profile', profile),
])

export const router = createRouter({
  routeTree: tree,
  parseSearch,
  stringifySearch: printSearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  // What is open, typed or chosen on the page of one thing does not come along to another.
  defaultRemountDeps: ({ params }) => params,
  defaultPendingMs: 150,
  defaultPendingComponent: WaitingPage,
  defaultErrorComponent: FailedPage,
  defaultNotFoundComponent: MissingPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
