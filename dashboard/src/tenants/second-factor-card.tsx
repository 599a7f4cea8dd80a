// Whether everyone needs a second factor to work in this organization.
import { Switch, Text } from '@mantine/core'
import { callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { Card } from '../ui/page.tsx'
import { useAdmin } from '../ui/use-admin.ts'
import { useWork } from '../ui/use-work.ts'

type Policy = { require_second_factor: boolean }

export function SecondFactorCard({ may }: { may: boolean }) {
  const policy = useAdmin<Policy>('/admin/policy')
  const [busy, run] = useWork()
  const required = policy.data?.require_second_factor
  const change = async (require_second_factor: boolean) => {
    await callAdmin('PUT', '/admin/policy', { require_second_factor })
    await refresh('/admin/policy')
  }
  return (
    <Card title="Second factor">
      {may ? (
        <Switch
          label="Everyone needs a second factor"
          description="Who has none can only set one up until it is done"
          checked={required ?? false}
          disabled={busy || required === undefined}
          onChange={event => {
            const wanted = event.currentTarget.checked
            run(
              () => change(wanted),
              wanted ? 'Everyone needs a second factor now' : 'A second factor is optional now',
            )
          }}
        />
      ) : (
        <Text size="sm">
          {required ? 'Everyone needs one here.' : 'Optional here; your profile has it.'}
        </Text>
      )}
    </Card>
  )
}
