// The form of client ids, codes and tokens: each carries its tenant as a routing hint, authority is the hash there.
import { idPart } from '../platform/ids.ts'
import { newToken } from '../platform/tokens.ts'

const PREFIXES = {
  access: 'bw_at_',
  refresh: 'bw_rt_',
  code: 'bw_ac_',
  client: 'app_',
} as const
export type Kind = keyof typeof PREFIXES

const HINT = /^([0-9a-z]{1,40})_[0-9A-Za-z]{22,43}$/

export function newCredential(kind: Kind, tenant_id: string): string {
  const random = kind === 'client' ? newToken().slice(-22) : newToken()
  return `${PREFIXES[kind]}${idPart(tenant_id)}_${random}`
}

export function newClientSecret(): string {
  return `bw_cs_${newToken()}`
}

/** The tenant a well-formed credential names, or null; says nothing about its being valid. */
export function tenantOf(kind: Kind, text: string): string | null {
  if (!text.startsWith(PREFIXES[kind])) return null
  const match = HINT.exec(text.slice(PREFIXES[kind].length))
  return match ? `ten_${match[1]}` : null
}
