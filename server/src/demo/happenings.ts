// What can happen at the demo company, and how often: the table behind the story.

export type Happening = {
  readonly type: string
  readonly source: string
  readonly severity?: 'low' | 'medium' | 'high' | 'critical'
  readonly description?: string
  readonly details?: Readonly<Record<string, unknown>>
}

export type Incident = Happening & {
  /** Chance for one person on one usual day. */
  readonly daily: number
  /** What it follows: carelessness, care, or neither. */
  readonly follows: 'slip' | 'care' | 'even'
  /** What often follows some days later. */
  readonly mended?: Happening
}

const compliant: Happening = {
  type: 'endpoint.device_compliant',
  source: 'device-management',
  description: 'The device meets the policy again',
}

const identity = { source: 'identity-provider' } as const
const mail = { source: 'mail-gateway' } as const
const endpoint = { source: 'endpoint-agent' } as const
const device = { source: 'device-management', mended: compliant } as const
const desk = { source: 'front-desk' } as const

/** Rules for the company's own kinds of event, as a client would create them. */
export const CUSTOM_RULES = [
  { name: 'Badge lent to someone', event_type: 'custom.badge_lent', impact: -8, cooldown: '24h' },
  { name: 'Unlocked screen', event_type: 'custom.screen_unlocked', impact: -3, cooldown: '24h' },
  { name: 'Tailgater stopped', event_type: 'custom.tailgater_stopped', impact: 6, cooldown: '24h' },
] as const

export const INCIDENTS: readonly Incident[] = [
  { ...identity, type: 'auth.login_failure', daily: 0.004, follows: 'even', severity: 'low' },
  { ...identity, type: 'auth.password_changed', daily: 0.004, follows: 'care' },
  { ...identity, type: 'auth.account_locked', daily: 0.0004, follows: 'slip', severity: 'low' },
  { ...identity, type: 'auth.suspicious_login', daily: 0.00015, follows: 'slip', severity: 'high' },
  {
    ...identity,
    type: 'auth.impossible_travel',
    daily: 0.00006,
    follows: 'slip',
    severity: 'high',
  },
  {
    ...identity,
    type: 'auth.leaked_credentials',
    daily: 0.00008,
    follows: 'slip',
    severity: 'high',
  },
  { ...identity, type: 'auth.mfa_disabled', daily: 0.00005, follows: 'slip', severity: 'high' },
  {
    ...identity,
    type: 'auth.oauth_risky_grant',
    daily: 0.00015,
    follows: 'slip',
    severity: 'medium',
  },
  { ...mail, type: 'email.phishing_reported', daily: 0.006, follows: 'care' },
  { ...mail, type: 'email.malicious_click', daily: 0.0004, follows: 'slip', severity: 'high' },
  {
    ...mail,
    type: 'email.credential_submitted',
    daily: 0.00006,
    follows: 'slip',
    severity: 'critical',
  },
  {
    ...mail,
    type: 'email.external_forwarding_rule',
    daily: 0.00005,
    follows: 'slip',
    severity: 'medium',
  },
  {
    ...endpoint,
    type: 'endpoint.malware_detected',
    daily: 0.00006,
    follows: 'slip',
    severity: 'critical',
  },
  {
    ...endpoint,
    type: 'endpoint.pup_detected',
    daily: 0.0002,
    follows: 'slip',
    severity: 'medium',
  },
  { ...device, type: 'endpoint.os_outdated', daily: 0.0012, follows: 'even', severity: 'medium' },
  {
    ...device,
    type: 'endpoint.firewall_disabled',
    daily: 0.0002,
    follows: 'slip',
    severity: 'medium',
  },
  {
    ...device,
    type: 'endpoint.encryption_disabled',
    daily: 0.00006,
    follows: 'slip',
    severity: 'high',
  },
  { ...desk, type: 'custom.badge_lent', daily: 0.0003, follows: 'slip', severity: 'medium' },
  { ...desk, type: 'custom.screen_unlocked', daily: 0.0008, follows: 'slip', severity: 'low' },
  { ...desk, type: 'custom.tailgater_stopped', daily: 0.0004, follows: 'care' },
]

const TEMPLATES = [
  'parcel',
  'payroll',
  'shared-document',
  'voicemail',
  'invoice',
  'password-expiry',
]

/** A simulation every two weeks. */
export const CAMPAIGNS = Array.from({ length: 13 }, (_, i) => {
  const template = TEMPLATES[i % TEMPLATES.length]!
  return { day: 6 + 14 * i, name: `${String(i + 1).padStart(2, '0')}-${template}`, template }
})

/** The first course was for some, the second is for everyone. */
export const TRAININGS = [
  { course: 'Security basics', opens: 14, closes: 44, share: 0.4 },
  { course: 'Handling customer data', opens: 95, closes: 150, share: 1 },
] as const
