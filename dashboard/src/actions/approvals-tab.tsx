// What waits for a person's word, what waited longest first.
import { Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { pageOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { sayAddress } from '../employees/names.ts'
import type { Action, ActionList } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { EmptyPage } from '../ui/empty-page.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { OrderSelect, readOrder } from '../ui/order-select.tsx'
import { Pager } from '../ui/pager.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { straight } from '../ui/sentence.ts'
import { type Names, useNames } from '../ui/use-names.ts'
import { AddressUnder, Who } from '../ui/who.tsx'
import { sayWhy } from './action-columns.tsx'
import { sayAction } from './action-words.ts'
import type { Policy } from './policy.ts'
import { VerdictButtons } from './verdict-buttons.tsx'
import { type Asked, VerdictDialog } from './verdict-dialog.tsx'
import '../ui/layout.css'

type Props = { policies: readonly Policy[] | undefined }

/** What has waited longest is also the first to expire. */
const ORDERS = [
  { words: 'Longest waiting first', by: 'created_at', order: 'asc' },
  { words: 'Latest first', by: 'created_at', order: 'desc' },
  { words: 'By person', by: 'email', order: 'asc' },
  { words: 'By action', by: 'type', order: 'asc' },
] as const

/** What waits, as it is listed or only counted: where both are in sight they are one look, and agree. */
export function useWaiting(listed: boolean) {
  const [address] = useAddress()
  const { by: sort, order } = readOrder(address, ORDERS)
  const shown = listed ? { sort, order, page: pageOf(address), per_page: 20 } : { per_page: 1 }
  return useRead(
    'GET /v1/actions',
    { query: { status: 'awaiting_approval', ...shown } },
    { placeholderData: before => before, refetchInterval: 15_000 },
  )
}

export function ApprovalsTab({ policies }: Props) {
  const [asked, ask] = useState<Asked | null>(null)
  const waiting = useWaiting(true)
  return (
    <>
      <KeptList read={waiting}>
        {waiting.data ? (
          <Waiting list={waiting.data} policies={policies} onAsk={ask} />
        ) : (
          <Skeleton h={160} />
        )}
      </KeptList>
      <VerdictDialog asked={asked} onClose={() => ask(null)} />
    </>
  )
}

type Asking = Props & { onAsk: (asked: Asked) => void }

function Waiting({ list, policies, onAsk }: Asking & { list: ActionList }) {
  const [, change] = useAddress()
  const mayDecide = useMay('actions:manage')
  const names = useNames(list.data.map(one => one.employee_id))
  const pages = { pagination: list.pagination, onPage: (page: number) => change({ page }) }
  if (list.data.length === 0) {
    return (
      <Paper p={0}>
        <EmptyPage {...pages}>
          <EmptyState bare icon="check" title="Nothing waits for approval">
            Actions that weigh heavily, such as restricting access, wait here for an owner or admin.
          </EmptyState>
        </EmptyPage>
        <Pager {...pages} what={['waiting', 'waiting']} />
      </Paper>
    )
  }
  return (
    <>
      {!mayDecide && (
        <Text size="sm" c="dimmed" mb="md">
          Owners and admins decide about these.
        </Text>
      )}
      {list.pagination.total > 1 && (
        <Group mb="md">
          <OrderSelect choices={ORDERS} />
        </Group>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" tabIndex={-1}>
        {list.data.map(action => (
          <ApprovalCard key={action.id} {...{ action, policies, names, onAsk }} />
        ))}
      </SimpleGrid>
      <Pager {...pages} what={['waiting', 'waiting']} />
    </>
  )
}

type CardProps = Asking & { action: Action; names: Names }

function ApprovalCard({ action, policies, names, onAsk }: CardProps) {
  const [address, change] = useAddress()
  const { id, new_band, new_score } = action
  return (
    <Paper role="group" aria-labelledby={`what-${id} who-${id}`}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2} id={`what-${id}`}>
              <button
                type="button"
                className="link-button"
                onClick={() => change({ open: id, page: address.page })}
              >
                {sayAction(action)}
              </button>
            </Title>
            <Link
              id={`who-${id}`}
              to="/employees/$id"
              params={{ id: action.employee_id }}
              className="small-link break-anywhere"
              title={sayAddress(action.employee_email)}
            >
              <Who of={action} names={names} />
            </Link>
            <AddressUnder of={action} names={names} />
          </div>
          {new_band && new_score !== null && <BandBadge band={new_band} score={new_score} />}
        </Group>
        <Text size="sm" className="break-anywhere">
          {sayWhy(action, policies)}
          {action.note && <>: “{straight(action.note)}”</>}
        </Text>
        <Text size="sm" c="dimmed">
          Asked <RelativeTime at={action.created_at} />, expires{' '}
          <RelativeTime at={action.expires_at} />
        </Text>
        <VerdictButtons action={action} onAsk={onAsk} />
      </Stack>
    </Paper>
  )
}
