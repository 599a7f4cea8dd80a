// The columns of the list of API keys.
import { ActionIcon, Button, Text, Tooltip } from '@mantine/core'
import { splitActor } from '../accounts/actor-words.ts'
import type { Column } from '../ui/data-table.tsx'
import { Icon } from '../ui/icons.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import { type ApiKey, isLive, KEY_LOOK, stateOf } from './key.ts'
import { sayScope, sayScopes } from './scopes.ts'

type NameActor = (kind: string, id: string) => string

export function listColumns(
  now: number,
  nameActor: NameActor,
  onRevoke: (key: ApiKey) => void,
): Column<ApiKey>[] {
  return [
    {
      key: 'name',
      sort: 'name',
      title: 'Name',
      lines: 2,
      render: key => (
        <>
          <span className="strong">{key.name}</span>
          <Text size="xs" c="dimmed">
            by {nameActor(...splitActor(key.created_by))}, <RelativeTime at={key.created_at} />
          </Text>
          {key.creator_left && (
            <Text size="xs">
              <StatusMark tone="waiting">Creator has left</StatusMark>
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'scopes',
      title: 'May',
      sort: 'scopes',
      wide: true,
      render: key => <KeyScopes apiKey={key} />,
    },
    {
      key: 'status',
      title: 'Status',
      sort: 'status',
      render: key => <KeyStatus apiKey={key} now={now} />,
    },
    {
      key: 'used',
      sort: 'used',
      title: 'Last used',
      wide: true,
      render: key => <RelativeTime at={key.last_used_at} />,
    },
    {
      key: 'revoke',
      title: <span className="sr-only">Revoke</span>,
      align: 'right',
      render: key => isLive(stateOf(key, now)) && <RevokeButton apiKey={key} onRevoke={onRevoke} />,
    },
  ]
}

function KeyScopes({ apiKey: { scopes } }: { apiKey: ApiKey }) {
  return (
    <Tooltip multiline label={scopes.map(scope => <div key={scope}>{sayScope(scope)}</div>)}>
      <span>{sayScopes(scopes)}</span>
    </Tooltip>
  )
}

type RevokeProps = { apiKey: ApiKey; onRevoke: (key: ApiKey) => void }

function RevokeButton({ apiKey, onRevoke }: RevokeProps) {
  const label = `Revoke ${apiKey.name}`
  const revoke = () => onRevoke(apiKey)
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        visibleFrom="sm"
        onClick={revoke}
        aria-label={label}
      >
        Revoke
      </Button>
      <ActionIcon color="red" hiddenFrom="sm" onClick={revoke} aria-label={label}>
        <Icon name="trash" size={16} />
      </ActionIcon>
    </>
  )
}

function KeyStatus({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  const { tone, words } = KEY_LOOK[stateOf(apiKey, now)]
  const at = apiKey.revoked_at ?? apiKey.expires_at
  return (
    <>
      <StatusMark tone={tone}>{words}</StatusMark>
      {at && (
        <Text size="xs" c="dimmed">
          {apiKey.revoked_at || Date.parse(at) < now ? '' : 'ends '}
          <RelativeTime at={at} />
        </Text>
      )}
    </>
  )
}
