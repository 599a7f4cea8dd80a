// What each scope allows, in words, by what it is about.

export type ScopeGroup = { about: string; scopes: readonly [scope: string, words: string][] }

const GROUPS: readonly ScopeGroup[] = [
  {
    about: 'People',
    scopes: [
      ['employees:read', 'Read people and their scores'],
      ['employees:write', 'Add and change people, erase them and redact events for good'],
    ],
  },
  { about: 'Scores', scopes: [['scores:read', 'Read the score views of the organization']] },
  {
    about: 'Events',
    scopes: [
      ['events:read', 'Read security events'],
      ['events:write', 'Send events, which moves scores; retract them for good'],
    ],
  },
  {
    about: 'Rules',
    scopes: [
      ['rules:read', 'Read scoring rules and try them out'],
      ['rules:write', 'Create, change and delete rules, recalculate'],
    ],
  },
  {
    about: 'Actions',
    scopes: [
      ['actions:read', 'Read what was set off'],
      ['actions:execute', 'Ask for actions and report on them'],
    ],
  },
  {
    about: 'Webhooks',
    scopes: [
      ['webhooks:read', 'Read webhooks and deliveries'],
      ['webhooks:write', 'Create, change and delete webhooks'],
    ],
  },
  { about: 'Audit log', scopes: [['audit:read', 'Read who changed what']] },
]

/** Those one may give away: nobody passes on more than they hold. */
export function scopeGroups(held: readonly string[]): ScopeGroup[] {
  const known = new Set(GROUPS.flatMap(group => group.scopes.map(([scope]) => scope)))
  const others = held.filter(scope => !known.has(scope))
  const all = [...GROUPS, { about: 'Other', scopes: others.map(one => [one, one] as const) }]
  return all
    .map(({ about, scopes }) => ({
      about,
      scopes: scopes
        .filter(([scope]) => held.includes(scope))
        .map(([a, b]) => [a, b] as [string, string]),
    }))
    .filter(group => group.scopes.length > 0)
}

const WORDS = new Map(GROUPS.flatMap(group => group.scopes.map(one => [one[0], one[1]] as const)))

export const sayScope = (scope: string): string => WORDS.get(scope) ?? scope

/** A set of scopes as a short phrase. */
export function sayScopes(scopes: readonly string[]): string {
  if (scopes.length >= WORDS.size) return 'Everything'
  if (scopes.length === 0) return 'Nothing'
  const first = sayScope(scopes[0]!)
  return scopes.length === 1 ? first : `${first} and ${scopes.length - 1} more`
}

export const PRESETS = [
  { label: 'Send events', scopes: ['events:write'] },
  {
    label: 'Read only',
    scopes: [...WORDS.keys()].filter(one => one.endsWith(':read') && one !== 'audit:read'),
  },
  { label: 'Everything', scopes: [...WORDS.keys()] },
] as const
