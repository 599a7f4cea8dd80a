// Whether everyone needs a second factor to work in this organization; asked before it changes.
import { Skeleton, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import type { Member } from '../accounts/member.ts'
import { callAdmin } from '../app/call-api.ts'
import { queryClient, refresh } from '../app/query-client.ts'
import { SESSION_KEY, useSession } from '../app/session.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { showToast } from '../ui/toasts.ts'
import { useAdmin } from '../ui/use-admin.ts'

type Policy = { require_second_factor: boolean }

type Props = { name: string; may: boolean }

export function SecondFactorCard({ name, may }: Props) {
  const policy = useAdmin<Policy>('/admin/policy')
  const [asking, setAsking] = useState<'require' | 'relax' | null>(null)
  const required = policy.data?.require_second_factor
  const close = () => setAsking(null)
  return (
    <Card title="Second factor">
      {policy.error ? (
        <ErrorNote error={policy.error} retry={() => policy.refetch()} />
      ) : required === undefined ? (
        <Skeleton h={44} />
      ) : may ? (
        <Switch
          label="Everyone needs a second factor"
          description="Who has none can only set one up until it is done"
          checked={required}
          onChange={() => setAsking(required ? 'relax' : 'require')}
        />
      ) : (
        <Text size="sm">
          {required ? 'Everyone needs one here.' : 'Optional here; your profile has it.'}
        </Text>
      )}
      {may && (
        <>
          <RelaxDialog name={name} opened={asking === 'relax'} onClose={close} />
          <RequireDialog name={name} opened={asking === 'require'} onClose={close} />
        </>
      )}
    </Card>
  )
}

async function setPolicy(require_second_factor: boolean, done: string): Promise<void> {
  await callAdmin('PUT', '/admin/policy', { require_second_factor })
  await refresh('/admin/policy')
  await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
  showToast(done)
}

type DialogProps = { name: string; opened: boolean; onClose: () => void }

function RelaxDialog(props: DialogProps) {
  return (
    <ConfirmByName
      {...props}
      title="Make the second factor optional?"
      action="Make it optional"
      onConfirm={() => setPolicy(false, 'A second factor is optional now')}
    >
      A password alone will be enough to enter {props.name}.
    </ConfirmByName>
  )
}

/** It can be confirmed only by somebody who was told how many it holds up. */
function RequireDialog({ name, opened, onClose }: DialogProps) {
  const title = 'Require a second factor?'
  const users = useAdmin<{ data: Member[] }>('/admin/users', { enabled: opened })
  const known = users.data !== undefined && !users.error
  return (
    <>
      <Dialog opened={opened && !known} onClose={onClose} title={title}>
        {users.error ? (
          <ErrorNote error={users.error} retry={() => users.refetch()} />
        ) : (
          <Skeleton h={120} />
        )}
      </Dialog>
      <ConfirmByName
        opened={opened && known}
        title={title}
        name={name}
        action="Require it of everyone"
        onClose={onClose}
        onConfirm={() => setPolicy(true, 'Everyone needs a second factor now')}
      >
        <LockedOut organization={name} members={users.data?.data ?? []} />
      </ConfirmByName>
    </>
  )
}

type LockedOutProps = { organization: string; members: readonly Member[] }

/** How many would be held up, and whether the one who asks is among them. */
function LockedOut({ organization, members }: LockedOutProps) {
  const self = useSession().data?.user.id
  const bare = members.filter(one => one.status === 'active' && !one.second_factor)
  return (
    <>
      {bare.length === 0
        ? `Everyone in ${organization} has one already; newcomers will have to set one up first.`
        : `${plural(bare.length, 'person has', 'people have')} none and can do nothing in ${organization} until they have set one up.`}
      {bare.some(one => one.id === self) && (
        <Text size="sm" mt="xs" fw={550}>
          You are one of them.
        </Text>
      )}
    </>
  )
}
