// Every scope and what it grants: the nine of the contract and our own.

export const SCOPES = {
  'employees:read': 'read employee data and scores',
  'employees:write': 'create and update employees, erase them for good, and redact events for good',
  'scores:read': 'read security scores',
  'events:read': 'read security events',
  'events:write': 'submit custom events, and retract events for good',
  'rules:read': 'read scoring rules',
  'rules:write': 'create and modify rules, delete them, and recalculate scores',
  'actions:read': 'read action history',
  'actions:execute': 'trigger manual actions',
  'webhooks:read': 'read webhook subscriptions and deliveries',
  'webhooks:write': 'create, change and delete webhook subscriptions',
  'audit:read': 'read the audit log',
} as const

export type Scope = keyof typeof SCOPES
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[]

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}
