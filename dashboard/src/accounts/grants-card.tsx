// What apps may do in one's name, and ending it.
import { Button, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type CallError, callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { sayScope } from '../keys/scopes.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { count } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { useWork } from '../ui/use-work.ts'
import './accounts.css'

export type Grant = {
  id: string
  app: { client_id: string; name: string }
  user: { id: string; email: string }
  scopes: string[]
  created_at: string
  last_used_at: string | null
}

/** The newest; `truncated` where there are more. */
export type Grants = { data: Grant[]; truncated?: boolean }

/** Whoever allows an app twice gives two consents. */
export function countPeople(grants: readonly Grant[]): number {
  return new Set(grants.map(grant => grant.user.id)).size
}

type Props = { grants: UseQueryResult<Grants, CallError> }

export function GrantsCard({ grants }: Props) {
  const all = grants.data?.data
  return (
    <Card title="Connected apps" about="What may act in your name">
      {grants.error && <ErrorNote error={grants.error} retry={() => grants.refetch()} />}
      {all?.length === 0 && (
        <Text size="sm" c="dimmed">
          None. An app appears here once you allow it.
        </Text>
      )}
      <ul className="line-list">
        {all?.map(grant => (
          <GrantLine key={grant.id} grant={grant} path="/session/grants" title={grant.app.name} />
        ))}
      </ul>
      {grants.data?.truncated && <NewestOnly shown={grants.data.data.length} />}
    </Card>
  )
}

export function NewestOnly({ shown }: { shown: number }) {
  return (
    <Text size="sm" c="dimmed">
      The newest {count(shown)} consents are shown; there are more.
    </Text>
  )
}

type LineProps = { grant: Grant; path: string; title: string }

export function GrantLine({ grant, path, title }: LineProps) {
  const [busy, run] = useWork()
  const end = async () => {
    await callAdmin('DELETE', `${path}/${grant.id}`)
    await refresh('/grants')
  }
  return (
    <li>
      <div>
        <Text size="sm" fw={550}>
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {grant.scopes.map(sayScope).join(', ')} · allowed <RelativeTime at={grant.created_at} /> ·
          last used <RelativeTime at={grant.last_used_at} />
        </Text>
      </div>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        loading={busy}
        aria-label={`End what ${title} was allowed`}
        // Another consent to the same app may go on.
        onClick={() =>
          run(end, `This consent of ${grant.user.email} to ${grant.app.name} is ended`)
        }
      >
        End
      </Button>
    </li>
  )
}
