// The audit log: every change by a person, key, app or operator; it can be read, not altered.
import { Paper } from '@mantine/core'
import { useState } from 'react'
import { useActorNames } from '../accounts/actor-name.tsx'
import { pageOf, useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import type { AuditEntry } from '../generated/api.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { isDate } from '../ui/dates.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { useOrder } from '../ui/list-order.ts'
import { NothingFits } from '../ui/nothing-fits.tsx'
import { plural } from '../ui/numbers.ts'
import { Page, tellState } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { AUDIT_CSV, AUDIT_SORTS, SUBJECT, WHEN, whatColumn, whoColumn } from './audit-columns.tsx'
import { AuditDrawer } from './audit-drawer.tsx'
import { AUDIT_FILTERS, AuditFilters } from './audit-filters.tsx'
import { AuditTools } from './audit-tools.tsx'

export function AuditPage() {
  const [address, change] = useAddress()
  const [opened, setOpened] = useState<AuditEntry | null>(null)
  const { action, subject_id, actor_id } = address
  const order = useOrder(AUDIT_SORTS, 'at')
  const [from, to] = [dayOf(address.from), dayOf(address.to)]
  const query = { ...order.query, action, subject_id, actor_id, from, to }
  const entries = useRead(
    'GET /v1/audit',
    { query: { ...query, page: pageOf(address) } },
    { placeholderData: before => before },
  )
  const filtered = AUDIT_FILTERS.some(name => address[name] !== undefined)
  const total = entries.data?.pagination.total
  const nameActor = useActorNames()
  const columns = [whatColumn(setOpened, nameActor), SUBJECT, whoColumn(nameActor), WHEN]
  return (
    <Page
      title="Audit log"
      state={tellState(
        entries,
        ({ pagination }) =>
          `${plural(pagination.total, 'entry', 'entries')}, each chained to the one before`,
      )}
      actions={
        <>
          <CsvButton
            name="audit-log"
            columns={AUDIT_CSV}
            total={total}
            keyOf={entry => String(entry.seq)}
            read={at => call('GET /v1/audit', { query: { ...query, ...at } })}
          />
          <AuditTools />
        </>
      }
    >
      <AuditFilters />
      <KeptList read={entries}>
        <Paper p={0}>
          <PagedTable
            label="Audit log"
            columns={columns}
            list={entries.data}
            rowKey={entry => String(entry.seq)}
            onOpen={setOpened}
            {...order.table}
            empty={<NoEntries filtered={filtered} />}
            onPage={page => change({ page })}
            what={['entry', 'entries']}
          />
        </Paper>
      </KeptList>
      <AuditDrawer entry={opened} onClose={() => setOpened(null)} />
    </Page>
  )
}

const dayOf = (text: string | undefined) => (isDate(text) ? text : undefined)

function NoEntries({ filtered }: { filtered: boolean }) {
  if (!filtered) {
    return (
      <EmptyState bare icon="audit" title="No entries yet">
        Whatever a person, key or app changes appears here.
      </EmptyState>
    )
  }
  return (
    <NothingFits title="No entry fits" all={{ to: '/audit', label: 'Show all entries' }}>
      Try fewer filters or a longer time.
    </NothingFits>
  )
}
