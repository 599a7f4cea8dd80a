// The changes made to one thing, from the audit log.
import { useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Pager } from '../ui/pager.tsx'
import { WHAT, WHEN, WHO } from './audit-columns.tsx'

export function AuditTrail({ subject_id }: { subject_id: string }) {
  const [address, change] = useAddress()
  const page = Number(address.trail ?? 1)
  const entries = useRead('GET /v1/audit', { query: { subject_id, page, per_page: 10 } })
  if (entries.error) return <ErrorNote error={entries.error} retry={() => entries.refetch()} />
  return (
    <>
      <DataTable
        label="History of changes"
        columns={[WHAT, WHO, WHEN]}
        rows={entries.data?.data}
        rowKey={entry => String(entry.seq)}
        loadingRows={4}
        empty={
          <EmptyState bare icon="audit" title="No changes recorded">
            Whatever a person, key or app changes here appears in this list.
          </EmptyState>
        }
      />
      <Pager
        pagination={entries.data?.pagination}
        onPage={next => change({ trail: next })}
        what="changes"
      />
    </>
  )
}
