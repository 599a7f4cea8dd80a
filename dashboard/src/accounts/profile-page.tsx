// One's own account: password, second factor, where one is logged in, what apps may do, and mail.
import { Grid, Skeleton, Stack } from '@mantine/core'
import { type Session, useSession } from '../app/session.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Page } from '../ui/page.tsx'
import { useAdmin } from '../ui/use-admin.ts'
import { type Digest, DigestCard } from './digest-card.tsx'
import { type Grant, GrantsCard } from './grants-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { type OwnSession, SessionsCard } from './sessions-card.tsx'
import { TotpCard } from './totp-card.tsx'

export function ProfilePage() {
  const session = useSession()
  const { data } = session
  return (
    <Page title="Profile and security" state={data && sayState(data)}>
      {session.error && <ErrorNote error={session.error} retry={() => session.refetch()} />}
      {data && <Cards session={data} />}
    </Page>
  )
}

function sayState({ user, tenant }: Session): string {
  const guard = user.second_factor ? 'with a second factor' : 'without a second factor'
  return `${user.email}${tenant ? `, ${tenant.role} of ${tenant.name}` : ''}, ${guard}`
}

function Cards({ session }: { session: Session }) {
  const inside = session.tenant !== null && !session.tenant.needs_second_factor
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack gap="lg">
          <TotpCard session={session} />
          <PasswordCard session={session} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Lists inside={inside} />
      </Grid.Col>
    </Grid>
  )
}

/** How long they are nobody knows before: they come together, so that none moves the next. */
function Lists({ inside }: { inside: boolean }) {
  const sessions = useAdmin<{ data: OwnSession[] }>('/session/sessions')
  const grants = useAdmin<{ data: Grant[] }>('/session/grants', { enabled: inside })
  const digest = useAdmin<Digest>('/admin/notifications/digest', { enabled: inside })
  if ([sessions, grants, digest].some(read => read.isLoading)) return <Skeleton h={420} />
  return (
    <Stack gap="lg">
      <SessionsCard sessions={sessions} />
      {inside && <GrantsCard grants={grants} />}
      {inside && <DigestCard digest={digest} />}
    </Stack>
  )
}
