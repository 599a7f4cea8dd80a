// People of the organization as the dashboard knows them, and what each role may do.
import type { Tone } from '../ui/status-mark.tsx'

export type Role = 'owner' | 'admin' | 'analyst' | 'viewer'

export type Member = {
  id: string
  email: string
  role: Role
  /** Lapsed: an invitation that was not accepted and works no more. */
  status: 'invited' | 'lapsed' | 'active' | 'disabled'
  second_factor: boolean
  last_login_at: string | null
  created_at: string
}

export const ROLES: Record<Role, { label: string; about: string }> = {
  owner: { label: 'Owner', about: 'Everything, people and the organization included' },
  admin: { label: 'Admin', about: 'Everything except people and the organization itself' },
  analyst: { label: 'Analyst', about: 'Reads all, tries rules out, sends events' },
  viewer: { label: 'Viewer', about: 'Reads' },
}
export const ROLE_NAMES = Object.keys(ROLES) as Role[]

export const MEMBER_LOOK: Record<Member['status'], { tone: Tone; words: string }> = {
  active: { tone: 'good', words: 'Active' },
  invited: { tone: 'waiting', words: 'Invited' },
  lapsed: { tone: 'idle', words: 'Invitation lapsed' },
  disabled: { tone: 'idle', words: 'Disabled' },
}
