// OAuth apps: programs of others that act for people here, with their consent.
import { Button, SimpleGrid, Skeleton } from '@mantine/core'
import { useState } from 'react'
import type { Grant } from '../accounts/grants-card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { plural } from '../ui/numbers.ts'
import { Page } from '../ui/page.tsx'
import { useAdmin } from '../ui/use-admin.ts'
import type { OAuthApp } from './app.ts'
import { AppCard } from './app-card.tsx'
import { type AppDialog, AppDialogs } from './app-dialogs.tsx'

export function AppsPage() {
  const [dialog, setDialog] = useState<AppDialog | null>(null)
  const apps = useAdmin<{ data: OAuthApp[] }>('/admin/apps')
  const grants = useAdmin<{ data: Grant[] }>('/admin/grants')
  const all = apps.data?.data
  const allowed = grants.data?.data ?? []
  const create = (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      onClick={() => setDialog({ task: 'create' })}
    >
      New OAuth app
    </Button>
  )
  return (
    <Page title="OAuth apps" state={all && sayState(all.length, allowed.length)} actions={create}>
      {apps.error && <ErrorNote error={apps.error} retry={() => apps.refetch()} />}
      {!all && !apps.error && <Skeleton h={220} />}
      {all?.length === 0 && (
        <EmptyState icon="apps" title="No app yet" action={create}>
          An app acts for the people who allow it, with tokens that end after 15 minutes, and never
          beyond their role. For a program of your own, an API key is simpler.
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {all?.map(app => (
          <AppCard
            key={app.client_id}
            app={app}
            grants={allowed.filter(grant => grant.app.client_id === app.client_id)}
            onChoose={task => setDialog({ task, app })}
          />
        ))}
      </SimpleGrid>
      <AppDialogs dialog={dialog} onClose={() => setDialog(null)} />
    </Page>
  )
}

function sayState(apps: number, grants: number): string {
  const said = plural(apps, 'app')
  return grants === 0 ? said : `${said}, ${plural(grants, 'consent')} in force`
}
