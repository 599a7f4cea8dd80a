// OAuth apps: programs of others that act for people here, with their consent.
import { Button, Paper } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { countPeople, type Grants, NewestOnly } from '../accounts/grants-card.tsx'
import { useAddress } from '../app/address.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { plural } from '../ui/numbers.ts'
import { Page, tellState } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { usePaged, useSorted } from '../ui/sort-rows.ts'
import { useAdmin } from '../ui/use-admin.ts'
import type { OAuthApp } from './app.ts'
import { APP_CSV, APP_SORTS, listColumns } from './app-columns.tsx'
import { type AppDialog, AppDialogs } from './app-dialogs.tsx'
import { AppDrawer } from './app-drawer.tsx'

export function AppsPage() {
  const [address, change] = useAddress()
  const [dialog, setDialog] = useState<AppDialog | null>(null)
  const apps = useAdmin<{ data: OAuthApp[] }>('/admin/apps')
  const grants = useAdmin<Grants>('/admin/grants')
  const all = apps.data?.data
  const allowed = grants.data?.data
  const grantsOf = (app: OAuthApp | undefined) =>
    allowed?.filter(grant => grant.app.client_id === app?.client_id)
  const listed = all?.map(app => {
    const own = grantsOf(app)
    return { app, allowed: own ? countPeople(own) : null }
  })
  const { rows, ...order } = useSorted(listed, APP_SORTS)
  const opened = all?.find(app => app.client_id === address.open)
  const open = (app: OAuthApp) => change({ open: app.client_id, page: address.page })
  const note = grants.error && (
    <ErrorNote
      title="Who allowed them could not be read"
      error={grants.error}
      retry={() => grants.refetch()}
    />
  )
  const create = (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      onClick={() => setDialog({ task: 'create' })}
    >
      New OAuth app
    </Button>
  )
  return (
    <Page
      title="OAuth apps"
      state={tellState(apps, ({ data }) => sayState(data.length, allowed?.length ?? 0))}
      actions={
        <>
          <CsvButton name="oauth-apps" rows={rows} columns={APP_CSV} />
          {create}
        </>
      }
    >
      {!apps.error && note}
      <KeptList read={apps}>
        <Paper p={0}>
          <PagedTable
            label="OAuth apps"
            columns={listColumns(open, (app, task) => setDialog({ task, app }))}
            {...order}
            {...usePaged(rows)}
            what={['app', 'apps']}
            rowKey={({ app }) => app.client_id}
            onOpen={({ app }) => open(app)}
            loadingRows={3}
            empty={<NoApp create={create} />}
          />
        </Paper>
      </KeptList>
      {grants.data?.truncated && <NewestOnly shown={grants.data.data.length} />}
      <AppDrawer
        app={opened}
        grants={grantsOf(opened)}
        note={note}
        onClose={() => change({ open: undefined, page: address.page })}
      />
      <AppDialogs dialog={dialog} onClose={() => setDialog(null)} />
    </Page>
  )
}

function NoApp({ create }: { create: ReactNode }) {
  return (
    <EmptyState bare icon="apps" title="No app yet" action={create}>
      An app acts for the people who allow it, with tokens that end after 15 minutes, and never
      beyond their role. For a program of your own, an API key is simpler.
    </EmptyState>
  )
}

function sayState(apps: number, grants: number): string {
  const said = plural(apps, 'app')
  return grants === 0 ? said : `${said}, ${plural(grants, 'consent')} in force`
}
