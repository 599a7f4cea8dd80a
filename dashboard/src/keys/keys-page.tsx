// API keys: what each may do, when it was last used, and making and revoking them.
import { Button, Paper, Switch } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useActorNames } from '../accounts/actor-name.tsx'
import { useAddress } from '../app/address.ts'
import { callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { CsvButton, type CsvColumns } from '../ui/csv-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icons.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { plural } from '../ui/numbers.ts'
import { Page, tellState } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { RelativeTime, useNow } from '../ui/relative-time.tsx'
import { type SortKeys, usePaged, useSorted } from '../ui/sort-rows.ts'
import { showToast } from '../ui/toasts.ts'
import { useAdmin } from '../ui/use-admin.ts'
import { type ApiKey, isLive, stateOf } from './key.ts'
import { listColumns } from './key-columns.tsx'
import { NewKey } from './new-key.tsx'

export function KeysPage() {
  const [address, change] = useAddress()
  const now = useNow()
  const [creating, { open, close }] = useDisclosure(false)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  const nameActor = useActorNames()
  const keys = useAdmin<{ data: ApiKey[]; truncated?: boolean }>('/admin/keys')
  const all = keys.data?.data
  const ended = all?.filter(key => !isLive(stateOf(key, now))).length ?? 0
  const showAll = address.show === 'all'
  const shown = all?.filter(key => showAll || isLive(stateOf(key, now))).toReversed()
  const { rows, ...order } = useSorted(shown, SORTS)
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      New API key
    </Button>
  )
  return (
    <Page
      title="API keys"
      state={tellState(keys, ({ data }) => sayState(data, now))}
      actions={
        <>
          <CsvButton name="api-keys" rows={rows} columns={CSV} />
          {create}
        </>
      }
    >
      <KeptList read={keys}>
        <Paper p={0}>
          <PagedTable
            label="API keys"
            columns={listColumns(now, nameActor, setRevoking)}
            {...order}
            {...usePaged(rows)}
            what={['key', 'keys']}
            rowKey={key => key.id}
            loadingRows={4}
            empty={
              <EmptyState bare icon="keys" title="No key is in use" action={create}>
                A key lets a program send events and read scores. Give it no more than it needs.
              </EmptyState>
            }
          />
        </Paper>
      </KeptList>
      {ended > 0 && (
        <Switch
          label={`Show also ${keys.data?.truncated ? 'the newest ' : ''}${ended} revoked or expired`}
          checked={showAll}
          onChange={event => change({ show: event.currentTarget.checked ? 'all' : undefined })}
        />
      )}
      <NewKey opened={creating} onClose={close} />
      <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />
    </Page>
  )
}

const SORTS: SortKeys<ApiKey> = {
  name: key => key.name,
  scopes: key => key.scopes.length,
  status: key => key.revoked_at ?? key.expires_at ?? '',
  used: key => key.last_used_at,
}

const CSV: CsvColumns<ApiKey> = {
  id: key => key.id,
  name: key => key.name,
  scopes: key => key.scopes.join(' '),
  created_by: key => key.created_by,
  creator_left: key => key.creator_left,
  created_at: key => key.created_at,
  last_used_at: key => key.last_used_at,
  expires_at: key => key.expires_at,
  revoked_at: key => key.revoked_at,
}

function sayState(keys: readonly ApiKey[], now: number): string {
  const states = keys.map(key => stateOf(key, now))
  const live = keys.filter((_, i) => isLive(states[i]!))
  const parts = [`${plural(live.length, 'key')} in use`]
  const soon = states.filter(state => state === 'expiring').length
  const orphans = live.filter(key => key.creator_left).length
  const unused = live.filter(key => key.last_used_at === null).length
  if (soon > 0) parts.push(`${soon} expiring within two weeks`)
  if (orphans > 0) parts.push(`${orphans} of people who have left`)
  if (unused > 0) parts.push(`${unused} never used`)
  return parts.join(', ')
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey | null; onClose: () => void }) {
  const revoke = async () => {
    if (!apiKey) return
    await callAdmin('DELETE', `/admin/keys/${apiKey.id}`)
    refresh('/admin/keys')
    showToast(`The key ${apiKey.name} is revoked`)
  }
  return (
    <ConfirmByName
      opened={apiKey !== null}
      title={`Revoke ${apiKey?.name ?? ''}?`}
      name={apiKey?.name ?? ''}
      action="Revoke the key"
      onClose={onClose}
      onConfirm={revoke}
    >
      Whatever uses this key is refused within a second. It was{' '}
      {apiKey?.last_used_at ? (
        <>
          last used <RelativeTime at={apiKey.last_used_at} />
        </>
      ) : (
        'never used'
      )}
      . This cannot be taken back.
    </ConfirmByName>
  )
}
