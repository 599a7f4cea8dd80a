// An API key as the dashboard knows it, and how it stands.
import type { Tone } from '../ui/status-mark.tsx'

export type ApiKey = {
  id: string
  name: string
  scopes: string[]
  created_by: string
  creator_left: boolean
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}

const SOON_MS = 14 * 86_400_000

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked'

export function stateOf({ revoked_at, expires_at }: ApiKey, now: number): KeyState {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return 'active'
  const left = Date.parse(expires_at) - now
  if (left <= 0) return 'expired'
  return left < SOON_MS ? 'expiring' : 'active'
}

export const isLive = (state: KeyState): boolean => state === 'active' || state === 'expiring'

export const KEY_LOOK: Record<KeyState, { tone: Tone; words: string }> = {
  active: { tone: 'good', words: 'Active' },
  expiring: { tone: 'waiting', words: 'Expires soon' },
  expired: { tone: 'idle', words: 'Expired' },
  revoked: { tone: 'idle', words: 'Revoked' },
}
