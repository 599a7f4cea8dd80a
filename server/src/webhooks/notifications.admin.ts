// The dashboard's routes about notifications: grouped lines, what is unread, and the digest by mail.
import Type from 'typebox'
import { type Asked, inTenantOf, sessionOf } from '../accounts/identity.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Server } from '../platform/http.ts'
import { canMail } from '../platform/mail.ts'
import { PageQuery, pageAnswer, readPage, totalOf } from '../platform/pagination.ts'
import { hidden } from '../platform/schemas.ts'
import {
  countInbox,
  countUnread,
  deleteDigest,
  type Frequency,
  findDigest,
  listInbox,
  markRead,
  saveDigest,
} from './inbox.queries.ts'
import { PERIOD_MS } from './send-digests.job.ts'

const closed = { additionalProperties: false } as const
const member = { session: 'member' } as const

const InboxQuery = Type.Object({ ...PageQuery, unread: Type.Optional(Type.Boolean()) }, closed)

const ReadBody = Type.Object(
  { ids: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1000 })) },
  closed,
)

const DigestBody = Type.Object(
  {
    frequency: Type.Unsafe<Frequency | 'off'>({
      type: 'string',
      enum: ['off', 'daily', 'weekly'],
    }),
  },
  closed,
)

export function notificationsAdmin(server: Server, context: Context): void {
  inboxRoutes(server, context)
  digestRoutes(server, context)
}

function inboxRoutes(server: Server, context: Context): void {
  server.get(
    '/admin/notifications',
    { config: member, schema: { ...hidden, querystring: InboxQuery } },
    async request => {
      const { user_id } = sessionOf(request)
      const { unread: only_unread = false } = request.query
      const page = readPage(request.query)
      return inTenantOf(context, request, async (tx, { tenant_id }) => {
        const unread = await countUnread(tx, tenant_id, user_id)
        // Where no more are left, none is looked for among all that was read.
        const most = only_unread ? Math.max(0, unread - page.offset) : page.per_page
        const span = { offset: page.offset, per_page: Math.min(page.per_page, most) }
        const rows = await listInbox(tx, tenant_id, user_id, only_unread, span)
        const count = () => countInbox(tx, tenant_id)
        const total = only_unread ? unread : await totalOf(rows, page, count)
        const data = rows.map(({ notification_id, ...row }) => ({ id: notification_id, ...row }))
        return { ...pageAnswer(data, page, total), unread }
      })
    },
  )

  server.get('/admin/notifications/unread', { config: member, schema: hidden }, async request => {
    const { user_id } = sessionOf(request)
    const unread = await inTenantOf(context, request, (tx, { tenant_id }) =>
      countUnread(tx, tenant_id, user_id),
    )
    return { unread }
  })

  server.post(
    '/admin/notifications/read',
    { config: member, schema: { ...hidden, body: ReadBody } },
    async request => {
      const { user_id } = sessionOf(request)
      const ids = request.body.ids ?? null
      return inTenantOf(context, request, async (tx, { tenant_id, now }) => {
        await markRead(tx, tenant_id, user_id, ids, new Date(now))
        return { unread: await countUnread(tx, tenant_id, user_id) }
      })
    },
  )
}

function digestRoutes(server: Server, context: Context): void {
  server.get('/admin/notifications/digest', { config: member, schema: hidden }, async request => {
    const { user_id } = sessionOf(request)
    const digest = await inTenantOf(context, request, (tx, { tenant_id }) =>
      findDigest(tx, tenant_id, user_id),
    )
    return { frequency: digest?.frequency ?? 'off', can_mail: canMail(context) }
  })

  server.put(
    '/admin/notifications/digest',
    { config: member, schema: { ...hidden, body: DigestBody } },
    async request => {
      const { user_id } = sessionOf(request)
      const { frequency } = request.body
      await inTenantOf(context, request, changeDigest, user_id, frequency)
      return { frequency, can_mail: canMail(context) }
    },
  )
}

async function changeDigest(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  user_id: string,
  frequency: Frequency | 'off',
): Promise<void> {
  const known = await findDigest(tx, tenant_id, user_id)
  const before = { frequency: known?.frequency ?? 'off' }
  if (frequency === before.frequency) return
  if (frequency === 'off') await deleteDigest(tx, tenant_id, user_id)
  else {
    const next_at = new Date(now + PERIOD_MS[frequency])
    const told_until = known?.told_until ?? new Date(now)
    await saveDigest(tx, tenant_id, { user_id, frequency, told_until, next_at })
  }
  const subject = { subject_kind: 'user', subject_id: user_id }
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'digest.changed', ...subject, before, after: { frequency } },
  ])
}
