// What is done about risk: what was set off, what waits for a person, and the policies behind it.
import { Badge, Button, Tabs } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { oneOf, useAddress } from '../app/address.ts'
import { useMay } from '../app/session.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { count, plural } from '../ui/numbers.ts'
import { Page } from '../ui/page.tsx'
import { useAdmin } from '../ui/use-admin.ts'
import { ActionDrawer } from './action-drawer.tsx'
import { ApprovalsTab, useWaiting } from './approvals-tab.tsx'
import { HistoryTab } from './history-tab.tsx'
import { NewAction } from './new-action.tsx'
import { PoliciesTab } from './policies-tab.tsx'
import type { Policy } from './policy.ts'

const TABS = ['history', 'approvals', 'policies'] as const

export function ActionsPage() {
  const [address, change] = useAddress()
  const [asking, { open, close }] = useDisclosure(false)
  const mayExecute = useMay('actions:execute')
  const tab = oneOf(address.tab, TABS) ?? 'history'
  const waiting = useWaiting(tab === 'approvals')
  const policies = useAdmin<{ data: Policy[] }>('/admin/action-policies')
  const waits = waiting.data?.pagination.total
  const failed = waiting.error ?? policies.error
  const active = policies.data?.data.filter(one => one.status === 'active').length
  return (
    <Page
      title="Actions"
      state={
        waits !== undefined && active !== undefined
          ? sayState(waits, active)
          : failed
            ? ''
            : undefined
      }
      actions={
        mayExecute && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
            New action
          </Button>
        )
      }
    >
      {waiting.error && tab !== 'approvals' && (
        <ErrorNote error={waiting.error} retry={() => waiting.refetch()} />
      )}
      {policies.error && tab !== 'policies' && (
        <ErrorNote
          title="The policies could not be read"
          error={policies.error}
          retry={() => policies.refetch()}
        />
      )}
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={value => change({ tab: value === 'history' ? undefined : (value ?? undefined) })}
      >
        <TabNames waits={waits} />
        <Tabs.Panel value="history">
          <HistoryTab policies={policies.data?.data} />
        </Tabs.Panel>
        <Tabs.Panel value="approvals">
          <ApprovalsTab policies={policies.data?.data} />
        </Tabs.Panel>
        <Tabs.Panel value="policies">
          <PoliciesTab policies={policies} />
        </Tabs.Panel>
      </Tabs>
      <ActionDrawer policies={policies.data?.data} />
      <NewAction opened={asking} onClose={close} />
    </Page>
  )
}

function TabNames({ waits }: { waits: number | undefined }) {
  return (
    <Tabs.List mb="lg">
      <Tabs.Tab value="history">History</Tabs.Tab>
      <Tabs.Tab
        value="approvals"
        rightSection={
          waits ? (
            <Badge size="sm" px={6} miw="max-content">
              {count(waits)}
            </Badge>
          ) : null
        }
      >
        Approvals
      </Tabs.Tab>
      <Tabs.Tab value="policies">Policies</Tabs.Tab>
    </Tabs.List>
  )
}

function sayState(waits: number, active: number): string {
  const first = waits === 0 ? 'Nothing waits for approval' : `${plural(waits, 'action')} to approve`
  return `${first}, ${plural(active, 'policy', 'policies')} switched on`
}
