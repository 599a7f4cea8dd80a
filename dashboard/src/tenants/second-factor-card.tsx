// Whether everyone needs a second factor to work in this organization; asked before it changes.
import { Switch, Text } from '@mantine/core'
import { useState } from 'react'
import type { Member } from '../accounts/member.ts'
import { callAdmin } from '../app/call-api.ts'
import { queryClient, refresh } from '../app/query-client.ts'
import { SESSION_KEY, useSession } from '../app/session.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { showToast } from '../ui/toasts.ts'
import { useAdmin } from '../ui/use-admin.ts'

type Policy = { require_second_factor: boolean }

export function SecondFactorCard({ name, may }: { name: string; may: boolean }) {
  const policy = useAdmin<Policy>('/admin/policy')
  const [asking, setAsking] = useState(false)
  const required = policy.data?.require_second_factor
  const change = async () => {
    await callAdmin('PUT', '/admin/policy', { require_second_factor: !required })
    await refresh('/admin/policy')
    await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
    showToast(required ? 'A second factor is optional now' : 'Everyone needs a second factor now')
  }
  return (
    <Card title="Second factor">
      {may ? (
        <Switch
          label="Everyone needs a second factor"
          description="Who has none can only set one up until it is done"
          checked={required ?? false}
          disabled={required === undefined}
          onChange={() => setAsking(true)}
        />
      ) : (
        <Text size="sm">
          {required ? 'Everyone needs one here.' : 'Optional here; your profile has it.'}
        </Text>
      )}
      {may && (
        <ConfirmByName
          opened={asking}
          title={required ? 'Make the second factor optional?' : 'Require a second factor?'}
          name={name}
          action={required ? 'Make it optional' : 'Require it of everyone'}
          onClose={() => setAsking(false)}
          onConfirm={change}
        >
          {required ? (
            `A password alone will be enough to enter ${name}.`
          ) : (
            <LockedOut organization={name} />
          )}
        </ConfirmByName>
      )}
    </Card>
  )
}

/** How many would be held up, and whether the one who asks is among them. */
function LockedOut({ organization }: { organization: string }) {
  const users = useAdmin<{ data: Member[] }>('/admin/users')
  const self = useSession().data?.user
  const bare = users.data?.data.filter(one => one.status === 'active' && !one.second_factor)
  return (
    <>
      {bare === undefined || bare.length === 0
        ? `Everyone in ${organization} has one already; newcomers will have to set one up first.`
        : `${plural(bare.length, 'person has', 'people have')} none and can do nothing in ${organization} until they have set one up.`}
      {self && !self.second_factor && (
        <Text size="sm" mt="xs" fw={550}>
          You are one of them.
        </Text>
      )}
    </>
  )
}
