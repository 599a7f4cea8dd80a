// Who sits in front of the dashboard, where, and what they may do there.
import { useQuery } from '@tanstack/react-query'
import { type CallError, callAdmin, rememberSession } from './call-api.ts'

export type SessionTenant = {
  id: string
  name: string
  plan: 'starter' | 'professional' | 'enterprise'
  role: 'owner' | 'admin' | 'analyst' | 'viewer'
  scopes: string[]
  permissions: string[]
  needs_second_factor: boolean
}

export type Session = {
  stage: 'signed_in' | 'second_factor'
  csrf_token: string
  user: {
    id: string
    email: string
    second_factor: boolean
    recovery_codes_left: number
    password_changed_at: string | null
  }
  tenant: SessionTenant | null
  tenants: { tenant_id: string; name: string; role: string }[]
  proven_until: string | null
  expires_at: string
}

async function readSession(): Promise<Session> {
  const session = await callAdmin<Session>('GET', '/session')
  rememberSession(session)
  return session
}

export const SESSION_KEY = ['session']

export function useSession() {
  return useQuery<Session, CallError>({
    queryKey: SESSION_KEY,
    queryFn: readSession,
    staleTime: 60_000,
  })
}

/** Whether the person may: a scope of the API or a right of the dashboard. What one may not do is not shown. */
export function useMay(right: string): boolean {
  const tenant = useSession().data?.tenant
  return !!tenant && (tenant.scopes.includes(right) || tenant.permissions.includes(right))
}
