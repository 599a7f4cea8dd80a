// What each role may do: scopes of the API and the few rights that exist in the dashboard only.
import { SCOPE_NAMES, type Scope } from '../tenants/scopes.ts'

/** Rights no scope gives, so no key and no app can have them. */
const PERMISSIONS = {
  'users:manage': 'invite and remove people, change roles, require a second factor',
  'tenant:manage': 'how long events are kept',
  'settings:manage': 'scoring settings and band edges',
  'scores:adjust': 'adjust a score by hand',
  'actions:manage': 'set up action policies, approve and reject actions',
  'keys:manage': 'create and revoke API keys',
  'apps:manage': 'create and remove OAuth apps and end their grants',
  'webhooks:adopt': 'take over what an app has made',
} as const

export type Permission = keyof typeof PERMISSIONS
const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[]

/** The audit log tells about people who administer; it is for them alone. */
const READS = SCOPE_NAMES.filter(scope => scope.endsWith(':read') && scope !== 'audit:read')

const ROLES = {
  owner: { about: 'everything', scopes: SCOPE_NAMES, permissions: PERMISSION_NAMES },
  admin: {
    about: 'everything except people and the organization itself',
    scopes: SCOPE_NAMES,
    permissions: [
      'settings:manage',
      'scores:adjust',
      'actions:manage',
      'keys:manage',
      'apps:manage',
    ],
  },
  analyst: {
    about: 'reads, tries rules out and submits events',
    scopes: [...READS, 'events:write'],
    permissions: [],
  },
  viewer: { about: 'reads', scopes: READS, permissions: [] },
} as const satisfies Record<
  string,
  { about: string; scopes: readonly Scope[]; permissions: readonly Permission[] }
>

export type Role = keyof typeof ROLES
export const ROLE_NAMES = Object.keys(ROLES) as Role[]

export function scopesOf(role: Role): ReadonlySet<Scope> {
  return new Set(ROLES[role].scopes)
}

export function permissionsOf(role: Role): ReadonlySet<Permission> {
  return new Set(ROLES[role].permissions)
}
