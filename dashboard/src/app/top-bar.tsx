// The top bar: organization, search, notifications, light or dark, and who one is.
import {
  ActionIcon,
  Burger,
  Group,
  Kbd,
  Menu,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import {
  type ComponentType,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { Bell } from '../notifications/bell.tsx'
import { Icon } from '../ui/icons.tsx'
import { showFailure } from '../ui/toasts.ts'
import { useCloseWithPage } from '../ui/use-close-with-page.ts'
import { CallError, callAdmin, isReached, NOT_REACHED } from './call-api.ts'
import { useEarlyKeys } from './early-keys.ts'
import { initialsOf } from './initials.ts'
import { leaveBy } from './leaving.ts'
import type { LiveState } from './live.ts'
import type { Session } from './session.ts'
import { TenantSwitch } from './tenant-switch.tsx'
import './shell.css'

/** As it is written on the keys in front of the person. */
const KEYS = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'

type Props = { session: Session; live: LiveState; railOpened: boolean; onMenu: () => void }

export function TopBar({ session, live, railOpened, onMenu }: Props) {
  const [searching, { open, close }] = useDisclosure(false)
  const early = useRef('')
  useHotkeys([['mod+K', open]], [])
  useCloseWithPage(close)
  return (
    <Group
      h="100%"
      px={{ base: 'sm', sm: 'lg' }}
      gap="var(--top-gap)"
      wrap="nowrap"
      className="top-bar"
    >
      <Burger
        id="menu-button"
        opened={railOpened}
        onClick={onMenu}
        hiddenFrom="md"
        size="sm"
        aria-label="Menu"
        aria-expanded={railOpened}
      />
      <TenantSwitch session={session} />
      {session.tenant && <LiveMark live={live} />}
      <div className="stretch" />
      {session.tenant && (
        <UnstyledButton className="search-button" onClick={open}>
          <Icon name="search" size={16} />
          <span className="search-words">Search</span>
          <Kbd size="xs" className="search-words">
            {KEYS}
          </Kbd>
        </UnstyledButton>
      )}
      {session.tenant && !session.tenant.needs_second_factor && <Bell />}
      <SchemeButton />
      <PersonMenu session={session} />
      {searching && <Search early={early} onClose={close} />}
    </Group>
  )
}

type SearchProps = { early: RefObject<string>; onClose: () => void }
let fetched: ComponentType<SearchProps> | undefined

/** Its code comes when it is first asked for; where it does not come, the page and what is typed there stay. */
function Search({ early, onClose }: SearchProps) {
  const [Dialog, setDialog] = useState(() => fetched)
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (fetched) return
    import('./search-dialog.tsx').then(
      module => {
        fetched = module.SearchDialog
        setDialog(() => fetched)
      },
      async () => {
        const there = await isReached()
        showFailure(new Error(there ? 'the search is not there; load the page anew' : NOT_REACHED))
        close()
      },
    )
  }, [])
  return Dialog ? <Dialog early={early} onClose={onClose} /> : <EarlyKeys text={early} />
}

/** Gathers what is typed while the dialog is on its way. */
function EarlyKeys({ text }: { text: RefObject<string> }) {
  useEarlyKeys(key => {
    text.current += key
  })
  return null
}

function LiveMark({ live }: { live: LiveState }) {
  const words =
    live === 'live' ? 'Updates as events come in' : 'Updates now and then; the open line is down'
  return (
    <Tooltip label={words}>
      <span className="live-mark" data-live={live === 'live' || undefined}>
        <span aria-hidden="true" className="live-dot" />
        <span>{live === 'live' ? 'Live' : 'Waiting'}</span>
      </span>
    </Tooltip>
  )
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <Tooltip label={`Show in ${other}`}>
      <ActionIcon size="lg" onClick={() => setColorScheme(other)} aria-label={`Show in ${other}`}>
        <Icon name={scheme === 'dark' ? 'sun' : 'moon'} />
      </ActionIcon>
    </Tooltip>
  )
}

/** Says that one is out only when it is so: a session that has ended is left as well. */
async function logOut(): Promise<void> {
  const end = () =>
    callAdmin('DELETE', '/session').catch(error => {
      if (!(error instanceof CallError && error.status === 401)) throw error
    })
  await leaveBy(end, '/login').catch(showFailure)
}

function PersonMenu({ session }: { session: Session }) {
  const { email } = session.user
  const [opened, setOpened] = useState(false)
  useCloseWithPage(() => setOpened(false))
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Account of ${email}`} className="round">
          {/* Drawn by the style sheet, so that the button is read by its name alone. */}
          <span className="avatar" data-initials={initialsOf(email)} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" c="var(--mantine-color-text)" truncate title={email}>
            {email}
          </Text>
          {session.tenant?.role}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/profile" leftSection={<Icon name="person" size={16} />}>
          Profile and security
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<Icon name="audit" size={16} />}>
          API documentation
        </Menu.Item>
        <Menu.Item onClick={logOut} leftSection={<Icon name="leave" size={16} />}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
