// The bell in the top bar: what happened that somebody should know, and what of it is unread.
import {
  ActionIcon,
  Button,
  Group,
  Indicator,
  Popover,
  ScrollArea,
  Skeleton,
  Text,
  Tooltip,
  UnstyledButton,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { showFailure } from '../ui/toasts.ts'
import { useAdmin } from '../ui/use-admin.ts'
import { useCloseWithPage } from '../ui/use-close-with-page.ts'
import { type Notice, sayNotice } from './notice-words.ts'
import './notifications.css'

async function markRead(ids?: string[]): Promise<void> {
  try {
    await callAdmin('POST', '/admin/notifications/read', ids ? { ids } : {})
    await refresh('/admin/notifications')
  } catch (error) {
    showFailure(error)
  }
}

export function Bell() {
  const [opened, { toggle, close }] = useDisclosure(false)
  useCloseWithPage(close)
  const count = useAdmin<{ unread: number }>('/admin/notifications/unread', {
    refetchInterval: 30_000,
  })
  const unread = count.data?.unread ?? 0
  const label = unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`
  return (
    <Popover
      opened={opened}
      onChange={close}
      position="bottom-end"
      width="min(25rem, calc(100vw - 1.5rem))"
      shadow="md"
      trapFocus
      transitionProps={{ duration: 100 }}
    >
      <Popover.Target>
        <Tooltip label={label} disabled={opened}>
          <Indicator
            disabled={unread === 0}
            // The name of the button says it already.
            label={<span aria-hidden="true">{unread > 99 ? '99+' : unread}</span>}
            size={16}
            offset={5}
          >
            <ActionIcon size="lg" onClick={toggle} aria-label={label} aria-expanded={opened}>
              <Icon name="bell" />
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Notifications">
        {opened && <Notices unread={unread} onClose={close} />}
      </Popover.Dropdown>
    </Popover>
  )
}

type NoticesProps = { unread: number; onClose: () => void }

function Notices({ unread, onClose }: NoticesProps) {
  const inbox = useAdmin<{ data: Notice[] }>('/admin/notifications?per_page=20')
  const all = inbox.data?.data
  return (
    <>
      <Group justify="space-between" px="md" py="sm" className="notices-head">
        <Text fw={600}>Notifications</Text>
        {unread > 0 && (
          <Button size="compact-xs" variant="subtle" onClick={() => markRead()}>
            Mark all as read
          </Button>
        )}
      </Group>
      {inbox.error && <ErrorNote error={inbox.error} retry={() => inbox.refetch()} />}
      {!all && !inbox.error && <Skeleton h={48} m="md" />}
      {all?.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          Nothing yet. Failing webhooks, people who fall to critical and actions to approve are told
          here.
        </Text>
      )}
      <ScrollArea.Autosize mah={420} viewportProps={{ tabIndex: -1 }}>
        {all?.map(notice => (
          <NoticeLine key={notice.id} notice={notice} onClose={onClose} />
        ))}
      </ScrollArea.Autosize>
    </>
  )
}

function NoticeLine({ notice, onClose }: { notice: Notice; onClose: () => void }) {
  const navigate = useNavigate()
  const { title, about, to } = sayNotice(notice)
  const go = () => {
    onClose()
    if (!notice.read) markRead([notice.id])
    navigate({ href: to })
  }
  return (
    <UnstyledButton className="notice" data-unread={!notice.read || undefined} onClick={go}>
      <span className="notice-dot" aria-hidden="true" />
      <span className="stretch">
        <span className="strong">{title}</span>
        {!notice.read && <span className="sr-only"> (unread)</span>}
        {about && (
          <span className="under three-lines" title={about}>
            {about}
          </span>
        )}
      </span>
      <Text size="xs" c="dimmed" component="span">
        <RelativeTime at={notice.last_at} />
      </Text>
    </UnstyledButton>
  )
}
