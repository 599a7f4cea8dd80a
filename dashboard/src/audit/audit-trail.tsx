// The changes made to one thing, from the audit log.
import { useActorNames } from '../accounts/actor-name.tsx'
import { pageOf, useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { useOrder } from '../ui/list-order.ts'
import { PagedTable } from '../ui/paged-table.tsx'
import { AUDIT_CSV, AUDIT_SORTS, WHAT, WHEN, whoColumn } from './audit-columns.tsx'

export function AuditTrail({ subject_id }: { subject_id: string }) {
  const [address, change] = useAddress()
  const page = pageOf({ page: address.trail })
  const order = useOrder(AUDIT_SORTS, 'at')
  const query = { ...order.query, subject_id }
  const entries = useRead(
    'GET /v1/audit',
    { query: { ...query, page, per_page: 10 } },
    { placeholderData: before => before },
  )
  return (
    <KeptList read={entries}>
      <PagedTable
        label="History of changes"
        columns={[WHAT, whoColumn(useActorNames()), WHEN]}
        list={entries.data}
        rowKey={entry => String(entry.seq)}
        sorting={order.table.sorting}
        onSort={({ by, order }) => change({ sort: by, order, trail: undefined })}
        loadingRows={4}
        empty={
          <EmptyState bare icon="audit" title="No changes recorded">
            Whatever a person, key or app changes here appears in this list.
          </EmptyState>
        }
        onPage={trail => change({ trail })}
        what={['change', 'changes']}
        csv={{
          name: 'changes',
          columns: AUDIT_CSV,
          read: at => call('GET /v1/audit', { query: { ...query, ...at } }),
        }}
      />
    </KeptList>
  )
}
