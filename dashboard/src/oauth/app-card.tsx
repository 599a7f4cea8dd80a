// One OAuth app: its client id, where it returns to, what it may ask for, who allowed it.
import { ActionIcon, Menu, Text } from '@mantine/core'
import { type Grant, GrantLine } from '../accounts/grants-card.tsx'
import { sayScope } from '../keys/scopes.ts'
import { CopyValue } from '../ui/copy-value.tsx'
import { Facts } from '../ui/facts.tsx'
import { Icon } from '../ui/icons.tsx'
import { plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import type { OAuthApp } from './app.ts'

export type AppTask = 'change' | 'rotate' | 'delete'

type Props = { app: OAuthApp; grants: readonly Grant[]; onChoose: (task: AppTask) => void }

export function AppCard({ app, grants, onChoose }: Props) {
  return (
    <Card
      title={app.name}
      about={
        <>
          Created <RelativeTime at={app.created_at} />
          {app.rotated_at && (
            <>
              , secret of <RelativeTime at={app.rotated_at} />
            </>
          )}
        </>
      }
      action={<AppMenu app={app} onChoose={onChoose} />}
    >
      <Facts
        facts={[
          ['Client id', <CopyValue key="id" value={app.client_id} what="client id" />],
          [
            'Returns to',
            app.redirect_uris.map(uri => (
              <div key={uri}>
                <code>{uri}</code>
              </div>
            )),
          ],
          ['May ask to', app.scopes.map(scope => <div key={scope}>{sayScope(scope)}</div>)],
        ]}
      />
      <Text size="sm" fw={550} mt="md">
        {grants.length === 0 ? 'Nobody has allowed it yet' : sayGrants(grants.length)}
      </Text>
      <ul className="line-list">
        {grants.map(grant => (
          <GrantLine key={grant.id} grant={grant} path="/admin/grants" title={grant.user.email} />
        ))}
      </ul>
    </Card>
  )
}

const sayGrants = (many: number) => `Allowed by ${plural(many, 'person', 'people')}`

function AppMenu({ app, onChoose }: Pick<Props, 'app' | 'onChoose'>) {
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon aria-label={`More about ${app.name}`}>
          <Icon name="down" size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="edit" size={16} />} onClick={() => onChoose('change')}>
          Change it
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="keys" size={16} />} onClick={() => onChoose('rotate')}>
          Make a new secret
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<Icon name="trash" size={16} />}
          onClick={() => onChoose('delete')}
        >
          Delete it
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
