// What can be done to a saved rule as a whole: switched off and on, or deleted where it did not come with the service.
import { Button, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useLeadOn } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { leaveDeleted, refresh } from '../app/query-client.ts'
import type { Rule } from '../generated/api.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { Icon } from '../ui/icons.tsx'
import { showFailure, showToast } from '../ui/toasts.ts'
import { useWork } from '../ui/use-work.ts'
import './rules.css'

/** Can be taken back, so it is done at once and offers the way back. */
async function switchRule(rule: Rule, status: Rule['status']): Promise<void> {
  await call('PATCH /v1/rules/{id}', { params: { id: rule.id }, body: { status } })
  await refresh('/v1/rules')
  const other = status === 'active' ? 'inactive' : 'active'
  const words = status === 'active' ? 'is active and fires again' : 'is inactive and fires no more'
  showToast(`“${rule.name}” ${words}`, {
    action: { label: 'Undo', run: () => switchRule(rule, other).catch(showFailure) },
  })
}

export function RuleActions({ rule }: { rule: Rule }) {
  const [busy, run] = useWork()
  const active = rule.status === 'active'
  return (
    <>
      <Button
        variant="default"
        loading={busy}
        onClick={() => run(() => switchRule(rule, active ? 'inactive' : 'active'))}
      >
        {active ? 'Deactivate' : 'Activate'}
      </Button>
      {rule.is_default ? (
        <Tooltip label="It came with the service and cannot be deleted, only deactivated">
          <span className="default-note">Default rule</span>
        </Tooltip>
      ) : (
        <DeleteRule rule={rule} />
      )}
    </>
  )
}

function DeleteRule({ rule }: { rule: Rule }) {
  const [opened, { open, close }] = useDisclosure(false)
  const leadOn = useLeadOn()
  const remove = async () => {
    await call('DELETE /v1/rules/{id}', { params: { id: rule.id } })
    await leaveDeleted(() => leadOn({ to: '/rules' }), 'GET /v1/rules', '/admin/rules')
    showToast(`“${rule.name}” is deleted; what it gave stays`)
  }
  return (
    <>
      <Button
        variant="default"
        onClick={open}
        leftSection={<Icon name="trash" size={16} />}
        className="danger-button"
      >
        Delete
      </Button>
      <ConfirmByName
        opened={opened}
        title={`Delete “${rule.name}”?`}
        name={rule.name}
        action="Delete the rule"
        onClose={close}
        onConfirm={remove}
      >
        It fires no more from the next event on. What it gave so far keeps counting until a
        recalculation. A deleted rule cannot be brought back; deactivating it can be undone.
      </ConfirmByName>
    </>
  )
}
