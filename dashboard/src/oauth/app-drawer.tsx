// One OAuth app in full, beside the list: where it returns to, what it may ask for, who allowed it.
import { Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { countPeople, type Grant, GrantLine } from '../accounts/grants-card.tsx'
import { sayScope } from '../keys/scopes.ts'
import { CopyValue } from '../ui/copy-value.tsx'
import { SidePanel } from '../ui/dialog.tsx'
import { Facts } from '../ui/facts.tsx'
import { plural } from '../ui/numbers.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import type { OAuthApp } from './app.ts'
import '../ui/layout.css'

type Grants = {
  grants: readonly Grant[] | undefined
  /** Stands in their place where they could not be read. */
  note: ReactNode
}

type Props = Grants & { app: OAuthApp | undefined; onClose: () => void }

export function AppDrawer({ app, grants, note, onClose }: Props) {
  return (
    <SidePanel opened={app !== undefined} onClose={onClose} title={app?.name ?? ''}>
      {app && <AppBody app={app} grants={grants} note={note} />}
    </SidePanel>
  )
}

function AppBody({ app, grants, note }: Grants & { app: OAuthApp }) {
  return (
    <Stack>
      <Facts
        facts={[
          ['Client id', <CopyValue key="id" value={app.client_id} what="client id" />],
          [
            'Returns to',
            app.redirect_uris.map(uri => (
              <div key={uri}>
                <code className="break-anywhere">{uri}</code>
              </div>
            )),
          ],
          ['May ask to', app.scopes.map(scope => <div key={scope}>{sayScope(scope)}</div>)],
          ['Created', <RelativeTime key="made" at={app.created_at} />],
          ['Secret of', <RelativeTime key="secret" at={app.rotated_at ?? app.created_at} />],
        ]}
      />
      {note || (grants ? <AllowedBy grants={grants} /> : <Skeleton h={48} />)}
    </Stack>
  )
}

function AllowedBy({ grants }: { grants: readonly Grant[] }) {
  return (
    <div>
      <Text size="sm" fw={550}>
        {grants.length === 0
          ? 'Nobody has allowed it yet'
          : `Allowed by ${plural(countPeople(grants), 'person', 'people')}`}
      </Text>
      <ul className="line-list">
        {grants.map(grant => (
          <GrantLine key={grant.id} grant={grant} path="/admin/grants" title={grant.user.email} />
        ))}
      </ul>
    </div>
  )
}
