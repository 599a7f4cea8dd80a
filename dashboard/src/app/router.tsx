// The map of the dashboard: which address shows which page; each is loaded when it is first needed.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { parseSearch, printSearch } from './address.ts'
import { fetching } from './load-page.ts'
import { FailedPage, MissingPage, WaitingPage } from './other-pages.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: MissingPage })

function page<P extends string>(path: P, component: RouteComponent) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component,
    validateSearch: (search: Record<string, unknown>) =>
      search as Record<string, string | undefined>,
  })
}

const overview = lazyRouteComponent(
  fetching(() => import('../scores/overview-page.tsx')),
  'OverviewPage',
)
const employees = lazyRouteComponent(
  fetching(() => import('../employees/employees-page.tsx')),
  'EmployeesPage',
)
const importing = lazyRouteComponent(
  fetching(() => import('../employees/import-page.tsx')),
  'ImportPage',
)
const employee = lazyRouteComponent(
  fetching(() => import('../employees/employee-page.tsx')),
  'EmployeePage',
)
const rules = lazyRouteComponent(
  fetching(() => import('../rules/rules-page.tsx')),
  'RulesPage',
)
const rule = lazyRouteComponent(
  fetching(() => import('../rules/rule-page.tsx')),
  'RulePage',
)
const recalculate = lazyRouteComponent(
  fetching(() => import('../rules/recalculate-page.tsx')),
  'RecalculatePage',
)
const events = lazyRouteComponent(
  fetching(() => import('../events/events-page.tsx')),
  'EventsPage',
)
const event = lazyRouteComponent(
  fetching(() => import('../events/event-page.tsx')),
  'EventPage',
)
const retract = lazyRouteComponent(
  fetching(() => import('../events/retract-page.tsx')),
  'RetractPage',
)
const unmatched = lazyRouteComponent(
  fetching(() => import('../events/unmatched-page.tsx')),
  'UnmatchedPage',
)
const actions = lazyRouteComponent(
  fetching(() => import('../actions/actions-page.tsx')),
  'ActionsPage',
)
const webhooks = lazyRouteComponent(
  fetching(() => import('../webhooks/webhooks-page.tsx')),
  'WebhooksPage',
)
const webhook = lazyRouteComponent(
  fetching(() => import('../webhooks/webhook-page.tsx')),
  'WebhookPage',
)
const delivery = lazyRouteComponent(
  fetching(() => import('../webhooks/delivery-page.tsx')),
  'DeliveryPage',
)
const keys = lazyRouteComponent(
  fetching(() => import('../keys/keys-page.tsx')),
  'KeysPage',
)
const apps = lazyRouteComponent(
  fetching(() => import('../oauth/apps-page.tsx')),
  'AppsPage',
)
const users = lazyRouteComponent(
  fetching(() => import('../accounts/users-page.tsx')),
  'UsersPage',
)
const profile = lazyRouteComponent(
  fetching(() => import('../accounts/profile-page.tsx')),
  'ProfilePage',
)
const audit = lazyRouteComponent(
  fetching(() => import('../audit/audit-page.tsx')),
  'AuditPage',
)
const settings = lazyRouteComponent(
  fetching(() => import('../tenants/settings-page.tsx')),
  'SettingsPage',
)

const tree = root.addChildren([
  page('/', overview),
  page('/employees', employees),
  page('/employees/import', importing),
  page('/employees/$id', employee),
  page('/rules', rules),
  page('/rules/recalculate', recalculate),
  page('/rules/$id', rule),
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
