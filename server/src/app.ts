// The map of the API: every slice in order, on one server.
import type { FastifyRequest } from 'fastify'
import { installGuard } from './access/guard.ts'
import { requireReaderStill } from './access/judge-originator.ts'
import { meRoutes } from './access/me.routes.ts'
import { accountAdmin } from './accounts/account.admin.ts'
import { identityOf } from './accounts/identity.ts'
import { membersAdmin } from './accounts/members.admin.ts'
import { accountPages } from './accounts/pages.routes.ts'
import { requireScope } from './accounts/require-scope.ts'
import { sessionAdmin } from './accounts/session.admin.ts'
import { flushTold } from './accounts/tell-later.ts'
import { actionsRoutes } from './actions/actions.routes.ts'
import { policiesAdmin } from './actions/policies.admin.ts'
import { auditAdmin } from './audit/audit.admin.ts'
import { auditRoutes } from './audit/audit.routes.ts'
import { dashboardRoutes } from './dashboard/dashboard.routes.ts'
import { reportsRoutes } from './dashboard/reports.routes.ts'
import { docsRoutes } from './docs/docs.routes.ts'
import { employeesRoutes } from './employees/employees.routes.ts'
import { namesAdmin } from './employees/names.admin.ts'
import { sparklinesAdmin } from './employees/sparklines.admin.ts'
import { activityAdmin } from './events/activity.admin.ts'
import { adjustmentsAdmin } from './events/adjustments.admin.ts'
import { advanceStandings } from './events/apply-due-changes.job.ts'
import { countAccepted } from './events/count-accepted.ts'
import { eventStoryAdmin } from './events/event-story.admin.ts'
import { eventsRoutes } from './events/events.routes.ts'
import { createIngest, type Ingest } from './events/ingest-queue.ts'
import { liveAdmin } from './events/live.admin.ts'
import { redactRoutes } from './events/redact.routes.ts'
import { retractRoutes } from './events/retract.routes.ts'
import { healthRoutes } from './health.routes.ts'
import { keysAdmin } from './keys/keys.admin.ts'
import { appsAdmin } from './oauth/apps.admin.ts'
import { authorizeRoutes } from './oauth/authorize.routes.ts'
import { targetsOfLogin } from './oauth/targets-of-login.ts'
import { tokenRoutes } from './oauth/token.routes.ts'
import { organizationAdmin } from './organization.admin.ts'
import type { Context } from './platform/context.ts'
import type { Tx } from './platform/database.ts'
import { waitAtMost } from './platform/deadline.ts'
import { createServer, type Server } from './platform/http.ts'
import { finishMail } from './platform/mail.ts'
import { installNotFound } from './platform/not-found.ts'
import { collectRoutes } from './platform/openapi.ts'
import type { Route } from './platform/openapi-operation.ts'
import { privacyRoutes } from './privacy/privacy.routes.ts'
import { jobsAdmin } from './replays/jobs.admin.ts'
import { recalculateReturned } from './replays/recalculate-returned.ts'
import { replaysRoutes } from './replays/replays.routes.ts'
import { retractionsRoutes } from './replays/retractions.routes.ts'
import { settingsAdmin } from './replays/settings.admin.ts'
import { rulesRoutes } from './rules/rules.routes.ts'
import { explanationRoutes } from './scores/explanation.routes.ts'
import { scoresRoutes } from './scores/scores.routes.ts'
import { deliveriesRoutes } from './webhooks/deliveries.routes.ts'
import { notificationsAdmin } from './webhooks/notifications.admin.ts'
import { standingAdmin } from './webhooks/standing.admin.ts'
import { webhooksRoutes } from './webhooks/webhooks.routes.ts'

/** A mail takes less, and requests may have taken most of the time a process has for its end. */
const MAIL_MS = 2_000

export type App = {
  server: Server
  context: Context
  ingest: Ingest
  /** Every route, for the API document and the tests that visit all of them. */
  routes: readonly Route[]
  /** Writes what this process keeps in memory for a while: when keys were last used, and how much. */
  flush(): Promise<void>
  /** Mails under way are waited for, for a while. */
  close(mail_ms?: number): Promise<void>
}

/** `gate` is passed by every request before it is judged. */
export function buildApp(context: Context, gate?: (request: FastifyRequest) => Promise<void>): App {
  const server = createServer(context)
  if (gate) server.addHook('onRequest', gate)
  installNotFound(server, (request, reply) => pageFor(request, reply))
  const routes = collectRoutes(server)
  const access = installGuard(server, context)
  const pageFor = dashboardRoutes(server)
  reportsRoutes(server, context)
  docsRoutes(server, context, routes)
  healthRoutes(server, context)
  auditRoutes(server, context, request => identityOf(request).tenant_id)
  auditAdmin(server, context, request => {
    const { tenant_id, actor } = requireScope(request, 'audit:read')
    const stillReads = (tx: Tx) =>
      requireReaderStill(tx, tenant_id, actor, 'audit:read', context.clock.now())
    return { tenant_id, stillReads }
  })
  meRoutes(server)
  accountPages(server, context, next => targetsOfLogin(context, next))
  sessionAdmin(server, context)
  accountAdmin(server, context)
  membersAdmin(server, context)
  keysAdmin(server, context)
  authorizeRoutes(server, context)
  tokenRoutes(server, context)
  appsAdmin(server, context)
  webhooksRoutes(server, context)
  deliveriesRoutes(server, context)
  notificationsAdmin(server, context)
  standingAdmin(server, context)
  employeesRoutes(server, context, access, {
    advance: advanceStandings,
    recalculate: recalculateReturned,
  })
  namesAdmin(server, context)
  privacyRoutes(server, context)
  sparklinesAdmin(server, context)
  rulesRoutes(server, context)
  actionsRoutes(server, context)
  policiesAdmin(server, context)
  const ingest = countAccepted(createIngest(context), access.meter)
  eventsRoutes(server, context, access, ingest)
  liveAdmin(server, context)
  adjustmentsAdmin(server, context)
  activityAdmin(server, context)
  eventStoryAdmin(server, context)
  retractRoutes(server, context)
  redactRoutes(server, context)
  scoresRoutes(server, context)
  explanationRoutes(server, context)
  replaysRoutes(server, context)
  retractionsRoutes(server, context)
  settingsAdmin(server, context)
  organizationAdmin(server, context)
  jobsAdmin(server, context)
  const flush = async () => {
    await Promise.all([access.identifier.flush(), access.meter.flush(), flushTold(context)])
  }
  return {
    server,
    context,
    ingest,
    routes,
    flush,
    close: async (mail_ms = MAIL_MS) => {
      await server.close()
      await Promise.all([flush(), waitAtMost(finishMail(context), mail_ms)])
    },
  }
}
