// The frame around every page: rail, top bar, content; and the gate before it.
import { AppShell, Button, Center, Stack } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect } from 'react'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { LeaveQuestion } from '../ui/leave-question.tsx'
import { MayNot } from '../ui/may-not.tsx'
import { useCloseWithPage } from '../ui/use-close-with-page.ts'
import { leaveToLogin } from './end-session.ts'
import { useLive } from './live.ts'
import { ProofDialog } from './proof-dialog.tsx'
import { isIn, PLACES, Rail, usePlaces } from './rail.tsx'
import { type Session, type SessionTenant, useSession } from './session.ts'
import { TenantChoice } from './tenant-switch.tsx'
import { TopBar } from './top-bar.tsx'
import './shell.css'

export function Shell() {
  const session = useSession()
  if (session.data) return <Frame session={session.data} />
  if (session.error && session.error.status !== 401) {
    return (
      <Center mih="80vh" p="md">
        <ErrorNote error={session.error} retry={() => session.refetch()} />
      </Center>
    )
  }
  return <EmptyFrame />
}

const HEADER = { height: 56 }
const railOf = (narrow: boolean, opened: boolean) =>
  ({ width: narrow ? 64 : 220, breakpoint: 'md', collapsed: { mobile: !opened } }) as const

function useNarrowRail() {
  const known = { key: 'rail-narrow', defaultValue: false, getInitialValueInEffect: false }
  return useLocalStorage(known)
}

/** Until it is known who is there: bars and rail where they will stand, so that nothing flashes. */
function EmptyFrame() {
  const [narrow] = useNarrowRail()
  return (
    <AppShell header={HEADER} navbar={railOf(narrow, false)} layout="alt" aria-busy="true">
      <AppShell.Header className="bar" />
      <AppShell.Navbar className="bar rail-frame" aria-label="Main" />
      <AppShell.Main />
    </AppShell>
  )
}

function Frame({ session }: { session: Session }) {
  const { opened, toggle, leave, onKeyDown } = useDrawer()
  const [narrow, setNarrow] = useNarrowRail()
  const live = useLive(session.tenant !== null && !session.tenant.needs_second_factor)
  if (session.stage !== 'signed_in') {
    leaveToLogin()
    return null
  }
  return (
    <AppShell
      header={HEADER}
      navbar={railOf(narrow, opened)}
      padding={{ base: 'md', sm: 'lg' }}
      transitionDuration={120}
      layout="alt"
    >
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      <AppShell.Header className="bar">
        <TopBar session={session} live={live} railOpened={opened} onMenu={toggle} />
      </AppShell.Header>
      <AppShell.Navbar
        className="bar rail-frame"
        aria-label="Main"
        data-closed={!opened || undefined}
        onKeyDown={onKeyDown}
      >
        <RailHead
          narrow={narrow}
          onNarrow={() => setNarrow(!narrow)}
          onClose={() => leave('#menu-button')}
          onGo={() => leave('#content')}
        />
        <Rail narrow={narrow && !opened} onGo={() => leave('#content')} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className="content">
          <Gate session={session} />
        </div>
      </AppShell.Main>
      <LeaveQuestion />
      <ProofDialog />
    </AppShell>
  )
}

/** The rail where it is a drawer: the keys are in it while it is open, and where they came from, or in the page, after. */
function useDrawer() {
  const [opened, { toggle, close }] = useDisclosure(false)
  const focus = (what: string) =>
    document.querySelector<HTMLElement>(what)?.focus({ preventScroll: true })
  useEffect(() => {
    if (opened) focus('.close-button')
  }, [opened])
  const leave = (to: '#menu-button' | '#content') => {
    if (!opened) return
    close()
    focus(to)
  }
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') leave('#menu-button')
  }
  useCloseWithPage(() => leave('#content'))
  return { opened, toggle, leave, onKeyDown }
}

type RailHeadProps = {
  narrow: boolean
  onNarrow: () => void
  onClose: () => void
  onGo: () => void
}

function RailHead({ narrow, onNarrow, onClose, onGo }: RailHeadProps) {
  return (
    <div className="rail-head" data-narrow={narrow || undefined}>
      <Link
        to="/"
        className="brand plain-link"
        aria-label="Bellwether, to the overview"
        onClick={onGo}
      >
        <img src="/favicon.svg" alt="" className="brand-mark" />
        <span className="brand-name">Bellwether</span>
      </Link>
      <button
        type="button"
        className="narrow-button"
        onClick={onNarrow}
        aria-label={narrow ? 'Widen the menu' : 'Narrow the menu'}
      >
        {narrow ? '»' : '«'}
      </button>
      <button type="button" className="close-button" onClick={onClose} aria-label="Close the menu">
        ✕
      </button>
    </div>
  )
}

/** Whoever belongs to no organization, or must set up a second factor first, is told so before anything else. */
function Gate({ session }: { session: Session }) {
  const { pathname } = useLocation()
  if (session.tenant === null) {
    return session.tenants.length > 0 ? (
      <TenantChoice session={session} />
    ) : (
      <EmptyState icon="users" title="You belong to no organization">
        Ask an owner of your organization for an invitation.
      </EmptyState>
    )
  }
  if (session.tenant.needs_second_factor && pathname !== '/profile') {
    return (
      <Stack>
        <EmptyState
          icon="keys"
          title={`${session.tenant.name} requires a second factor`}
          action={
            <Button component={Link} to="/profile">
              Set it up
            </Button>
          }
        >
          It takes a minute and an authenticator app on your phone.
        </EmptyState>
      </Stack>
    )
  }
  return <Room tenant={session.tenant} pathname={pathname} />
}

/** A link from someone with another role may lead to a room that is not in one's rail. */
function Room({ tenant, pathname }: { tenant: SessionTenant; pathname: string }) {
  const open = usePlaces()
  const place = PLACES.find(one => isIn(one, pathname))
  if (!place || open.includes(place)) return <Outlet />
  return (
    <MayNot
      page={place.label}
      icon={place.icon}
      title="This page is not for your role"
      back={{ to: '/', label: 'To the overview' }}
    >
      You are {tenant.role === 'viewer' ? 'a' : 'an'} {tenant.role} of {tenant.name}. An owner of
      the organization can give you another role.
    </MayNot>
  )
}
