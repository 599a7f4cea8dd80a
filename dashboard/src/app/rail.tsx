// The left rail: the rooms of the dashboard, those one may enter.
import { Divider, NavLink, ScrollArea, Tooltip } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { Icon, type IconName } from '../ui/icons.tsx'
import { useSession } from './session.ts'
import './shell.css'

export type Place = {
  to: string
  label: string
  icon: IconName
  /** The scope or right one needs to see it. */
  needs?: string
  group: 'work' | 'manage'
}

export const PLACES: readonly Place[] = [
  { to: '/', label: 'Overview', icon: 'overview', needs: 'scores:read', group: 'work' },
  {
    to: '/employees',
    label: 'Employees',
    icon: 'employees',
    needs: 'employees:read',
    group: 'work',
  },
  { to: '/rules', label: 'Rules', icon: 'rules', needs: 'rules:read', group: 'work' },
  { to: '/events', label: 'Events', icon: 'events', needs: 'events:read', group: 'work' },
  { to: '/actions', label: 'Actions', icon: 'actions', needs: 'actions:read', group: 'work' },
  { to: '/webhooks', label: 'Webhooks', icon: 'webhooks', needs: 'webhooks:read', group: 'work' },
  { to: '/keys', label: 'API keys', icon: 'keys', needs: 'keys:manage', group: 'manage' },
  { to: '/apps', label: 'OAuth apps', icon: 'apps', needs: 'apps:manage', group: 'manage' },
  { to: '/users', label: 'Users', icon: 'users', needs: 'users:manage', group: 'manage' },
  { to: '/audit', label: 'Audit log', icon: 'audit', needs: 'audit:read', group: 'manage' },
  { to: '/settings', label: 'Settings', icon: 'settings', group: 'manage' },
]

export function isIn({ to }: Place, pathname: string): boolean {
  return pathname === to || pathname.startsWith(`${to}/`)
}

export function usePlaces(): readonly Place[] {
  const tenant = useSession().data?.tenant
  const rights = [...(tenant?.scopes ?? []), ...(tenant?.permissions ?? [])]
  return PLACES.filter(({ needs }) => needs === undefined || rights.includes(needs))
}

export function Rail({ narrow, onGo }: { narrow: boolean; onGo: () => void }) {
  const places = usePlaces()
  const { pathname } = useLocation()
  const show = (place: Place) => {
    const active = isIn(place, pathname)
    return (
      <Tooltip key={place.to} label={place.label} position="right" disabled={!narrow}>
        <NavLink
          renderRoot={props => <Link {...props} to={place.to as never} />}
          label={narrow ? undefined : place.label}
          aria-label={place.label}
          aria-current={active ? 'page' : undefined}
          leftSection={<Icon name={place.icon} />}
          active={active}
          onClick={onGo}
          className="rail-link"
        />
      </Tooltip>
    )
  }
  return (
    <ScrollArea type="never" className="rail">
      {places.filter(one => one.group === 'work').map(show)}
      <Divider my="sm" />
      {places.filter(one => one.group === 'manage').map(show)}
    </ScrollArea>
  )
}
