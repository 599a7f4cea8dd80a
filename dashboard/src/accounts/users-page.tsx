// The people who may use this dashboard: who, with which role, and how well their accounts are guarded.
import { Box, Button, Group, Paper } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useSession } from '../app/session.ts'
import { CsvButton, type CsvColumns } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Icon } from '../ui/icons.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { plural } from '../ui/numbers.ts'
import { Page, tellState } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { type SortKeys, usePaged, useSorted } from '../ui/sort-rows.ts'
import { StatusMark } from '../ui/status-mark.tsx'
import { useAdmin } from '../ui/use-admin.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { MEMBER_LOOK, type Member, ROLE_NAMES, ROLES } from './member.ts'
import { MemberDialogs } from './member-dialogs.tsx'
import { MemberMenu } from './member-menu.tsx'
import type { MemberTask } from './member-tasks.ts'
import '../ui/layout.css'

type Choice = { task: MemberTask; member: Member }

export function UsersPage() {
  const [inviting, { open, close }] = useDisclosure(false)
  const [choice, setChoice] = useState<Choice | null>(null)
  const self = useSession().data?.user.id ?? ''
  const users = useAdmin<{ data: Member[] }>('/admin/users')
  const all = users.data?.data
  const { rows, ...order } = useSorted(all, SORTS)
  return (
    <Page
      title="Users"
      state={tellState(users, ({ data }) => sayState(data))}
      actions={
        <>
          <CsvButton name="users" rows={rows} columns={CSV} />
          <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
            Invite a person
          </Button>
        </>
      }
    >
      <KeptList read={users}>
        <Paper p={0}>
          <PagedTable
            label="Users"
            columns={listColumns(self, setChoice)}
            {...order}
            {...usePaged(rows)}
            what={['user', 'users']}
            rowKey={member => member.id}
            loadingRows={4}
          />
        </Paper>
      </KeptList>
      <InviteDialog opened={inviting} onClose={close} />
      <MemberDialogs
        task={choice?.task ?? null}
        member={choice?.member ?? null}
        onClose={() => setChoice(null)}
      />
    </Page>
  )
}

const SORTS: SortKeys<Member> = {
  email: member => member.email,
  role: member => ROLE_NAMES.indexOf(member.role),
  status: member => member.status,
  factor: member => Number(member.second_factor),
  login: member => member.last_login_at,
}

const CSV: CsvColumns<Member> = {
  id: member => member.id,
  email: member => member.email,
  role: member => member.role,
  status: member => member.status,
  second_factor: member => member.second_factor,
  last_login_at: member => member.last_login_at,
}

function sayState(members: readonly Member[]): string {
  const active = members.filter(one => one.status === 'active')
  const invited = members.filter(one => one.status === 'invited').length
  const lapsed = members.filter(one => one.status === 'lapsed').length
  const bare = active.filter(one => !one.second_factor).length
  const parts = [plural(active.length, 'person', 'people')]
  if (invited > 0) parts.push(`${invited} invited`)
  if (lapsed > 0) parts.push(plural(lapsed, 'lapsed invitation', 'lapsed invitations'))
  parts.push(bare === 0 ? 'all with a second factor' : `${bare} without a second factor`)
  return parts.join(', ')
}

function listColumns(self: string, onChoose: (choice: Choice) => void): Column<Member>[] {
  return [
    {
      key: 'email',
      sort: 'email',
      title: 'Person',
      lines: 'phone',
      render: member => (
        <>
          <Group gap={8}>
            <span className="strong break-anywhere">{member.email}</span>
            {member.id === self && <span className="tag">you</span>}
          </Group>
          <Box className="under" hiddenFrom="sm">
            {ROLES[member.role].label}
          </Box>
        </>
      ),
    },
    {
      key: 'role',
      sort: 'role',
      title: 'Role',
      wide: true,
      render: ({ role }) => <span title={ROLES[role].about}>{ROLES[role].label}</span>,
    },
    {
      key: 'status',
      sort: 'status',
      title: 'Status',
      render: ({ status }) => (
        <StatusMark tone={MEMBER_LOOK[status].tone}>{MEMBER_LOOK[status].words}</StatusMark>
      ),
    },
    {
      key: 'factor',
      sort: 'factor',
      title: 'Second factor',
      wide: true,
      render: ({ second_factor }) =>
        second_factor ? 'Set up' : <span className="faint">none</span>,
    },
    {
      key: 'login',
      sort: 'login',
      title: 'Last login',
      wide: 'lg',
      render: ({ last_login_at }) => <RelativeTime at={last_login_at} />,
    },
    {
      key: 'more',
      title: <span className="sr-only">More</span>,
      align: 'right',
      tall: true,
      render: member => (
        <MemberMenu
          member={member}
          self={member.id === self}
          onChoose={task => onChoose({ task, member })}
        />
      ),
    },
  ]
}
