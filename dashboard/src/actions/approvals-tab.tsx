// What waits for a person's word, oldest need first in sight.
import { Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { pageOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { sayAddress } from '../employees/names.ts'
import type { Action } from '../generated/api.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { EmptyPage } from '../ui/empty-page.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Pager } from '../ui/pager.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { sayWhy } from './action-columns.tsx'
import { sayAction } from './action-words.ts'
import type { Policy } from './policy.ts'
import { VerdictButtons } from './verdict-buttons.tsx'
import '../ui/layout.css'

type Props = { policies: readonly Policy[] | undefined }

export function ApprovalsTab({ policies }: Props) {
  const [address, change] = useAddress()
  const mayDecide = useMay('actions:manage')
  const waiting = useRead(
    'GET /v1/actions',
    { query: { status: 'awaiting_approval', page: pageOf(address), per_page: 20 } },
    { refetchInterval: 15_000 },
  )
  if (waiting.error) return <ErrorNote error={waiting.error} retry={() => waiting.refetch()} />
  if (!waiting.data) return <Skeleton h={160} />
  const pages = { pagination: waiting.data.pagination, onPage: (page: number) => change({ page }) }
  if (waiting.data.data.length === 0) {
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
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        {waiting.data.data.map(action => (
          <ApprovalCard key={action.id} action={action} policies={policies} />
        ))}
      </SimpleGrid>
      <Pager {...pages} what={['waiting', 'waiting']} />
    </>
  )
}

function ApprovalCard({ action, policies }: Props & { action: Action }) {
  const { new_band, new_score } = action
  return (
    <Paper>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2}>{sayAction(action)}</Title>
            <Link
              to="/employees/$id"
              params={{ id: action.employee_id }}
              className="small-link break-anywhere"
            >
              {sayAddress(action.employee_email)}
            </Link>
          </div>
          {new_band && new_score !== null && <BandBadge band={new_band} score={new_score} />}
        </Group>
        <Text size="sm" className="break-anywhere">
          {sayWhy(action, policies)}
          {action.note && <>: “{action.note}”</>}
        </Text>
        <Text size="sm" c="dimmed">
          Asked <RelativeTime at={action.created_at} />, expires{' '}
          <RelativeTime at={action.expires_at} />
        </Text>
        <VerdictButtons action={action} />
      </Stack>
    </Paper>
  )
}
