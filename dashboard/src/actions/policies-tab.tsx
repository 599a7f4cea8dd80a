// The policies: each reads as a sentence, is switched on and off, changed and removed.
import { Button, Group, Paper, Skeleton, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useAddress } from '../app/address.ts'
import type { CallError } from '../app/call-api.ts'
import { callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { MoreItem, MoreMenu } from '../ui/more-menu.tsx'
import { OrderSelect, readOrder } from '../ui/order-select.tsx'
import { showFailure, showToast } from '../ui/toasts.ts'
import { useWork } from '../ui/use-work.ts'
import { type Policy, sayPolicy } from './policy.ts'
import { PolicyDialog } from './policy-dialog.tsx'
import './actions.css'
import '../ui/layout.css'

type Props = {
  policies: { data?: { data: Policy[] }; error: CallError | null; refetch: () => unknown }
}

type Dialog = { task: 'create' } | { task: 'change' | 'delete'; policy: Policy }

const ORDERS = [
  { words: 'Oldest first', by: 'id', order: 'asc' },
  { words: 'By name', by: 'name', order: 'asc' },
  { words: 'Switched on first', by: 'status', order: 'asc' },
] as const

/** Ids are as old as what they name. */
function useOrdered(policies: readonly Policy[] | undefined): readonly Policy[] | undefined {
  const [address] = useAddress()
  const { by } = readOrder(address, ORDERS)
  return policies?.toSorted((a, b) => a[by].localeCompare(b[by], 'en'))
}

export function PoliciesTab({ policies }: Props) {
  const may = useMay('actions:manage')
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const close = () => setDialog(null)
  const all = useOrdered(policies.data?.data)
  return (
    <>
      {policies.error && <ErrorNote error={policies.error} retry={() => policies.refetch()} />}
      <Group justify="space-between" mb="md" mt={policies.error ? 'md' : 0}>
        {all && all.length > 1 && <OrderSelect choices={ORDERS} />}
        {may && (
          <Button
            ml="auto"
            variant="default"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => setDialog({ task: 'create' })}
          >
            New policy
          </Button>
        )}
      </Group>
      {!may && (
        <Text size="sm" c="dimmed" mb="md">
          Owners and admins switch and change these.
        </Text>
      )}
      {!all && !policies.error && <Skeleton h={240} />}
      {all?.length === 0 && (
        <EmptyState icon="actions" title="No policy">
          A policy does something by itself when someone's risk grows.
        </EmptyState>
      )}
      {all && all.length > 0 && (
        <Paper p={0}>
          <ul className="policies" aria-label="Policies">
            {all.map(policy => (
              <PolicyLine key={policy.id} policy={policy} may={may} onChoose={setDialog} />
            ))}
          </ul>
        </Paper>
      )}
      <PolicyDialog
        opened={dialog?.task === 'create' || dialog?.task === 'change'}
        policy={dialog?.task === 'change' ? dialog.policy : null}
        onClose={close}
      />
      <DeletePolicy policy={dialog?.task === 'delete' ? dialog.policy : null} onClose={close} />
    </>
  )
}

/** Can be taken back, so it is done at once and offers the way back. */
async function switchPolicy(policy: Policy, on: boolean): Promise<void> {
  const status = on ? 'active' : 'inactive'
  await callAdmin('PATCH', `/admin/action-policies/${policy.id}`, { status })
  await refresh('/admin/action-policies')
  showToast(`“${policy.name}” is switched ${on ? 'on' : 'off'}`, {
    action: { label: 'Undo', run: () => switchPolicy(policy, !on).catch(showFailure) },
  })
}

type LineProps = { policy: Policy; may: boolean; onChoose: (dialog: Dialog) => void }

function PolicyLine({ policy, may, onChoose }: LineProps) {
  const [busy, run] = useWork()
  const on = policy.status === 'active'
  return (
    <li className="policy">
      <Switch
        checked={on}
        disabled={!may || busy}
        onChange={() => run(() => switchPolicy(policy, !on))}
        aria-label={`${policy.name}, switched on`}
      />
      <div className="stretch break-anywhere">
        <Text fw={550}>{policy.name}</Text>
        <Text size="sm" c="dimmed">
          {sayPolicy(policy)}
        </Text>
      </div>
      {may && (
        <MoreMenu label={`More about ${policy.name}`} width={180}>
          <MoreItem onClick={() => onChoose({ task: 'change', policy })}>Change it</MoreItem>
          <MoreItem red onClick={() => onChoose({ task: 'delete', policy })}>
            Remove it
          </MoreItem>
        </MoreMenu>
      )}
    </li>
  )
}

function DeletePolicy({ policy, onClose }: { policy: Policy | null; onClose: () => void }) {
  const remove = async () => {
    await callAdmin('DELETE', `/admin/action-policies/${policy?.id}`)
    await refresh('/admin/action-policies')
    showToast(`The policy “${policy?.name}” is removed`)
  }
  return (
    <ConfirmByName
      opened={policy !== null}
      title="Remove the policy?"
      name={policy?.name ?? ''}
      action="Remove the policy"
      onClose={onClose}
      onConfirm={remove}
    >
      It sets off nothing more. What it has set off stays in the history.
    </ConfirmByName>
  )
}
