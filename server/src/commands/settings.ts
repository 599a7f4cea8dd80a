// The operator's command about a tenant's settings: shows them with what is under way, and changes them.
import { chooseLeaverKeys } from '../keys/choose-leaver-keys.ts'
import { countOf } from '../platform/counted.ts'
import { changeScoringSettings, readScoringSettings } from '../replays/change-scoring-settings.ts'
import type { SettingsChange, TenantSettings } from '../tenants/change-settings.ts'
import { CommandError, defineCommand, readOneOf } from './arguments.ts'
import { withTenant } from './open-context.ts'
import { json, print, printFields, printJson } from './print.ts'

const SETTING_OPTIONS = {
  'starting-score': { value: 'n', about: 'the score of somebody new, 0 to 100' },
  'half-life-days': { value: 'n', about: 'after how many days an impact counts half, 1 to 3650' },
  'recovery-cap': { value: 'n', about: 'the most that good conduct can add, 0 to 100' },
  'clean-streak-days': {
    value: 'n',
    about: 'days without a negative event that earn a streak, 1 to 365',
  },
  green: { value: 'n', about: 'the lowest score of the band green' },
  yellow: { value: 'n', about: 'the lowest score of the band yellow' },
  orange: { value: 'n', about: 'the lowest score of the band orange' },
  red: { value: 'n', about: 'the lowest score of the band red; below it is critical' },
} as const

type SettingOption = keyof typeof SETTING_OPTIONS

export const changeSettingsCommand = defineCommand({
  name: 'tenant settings',
  about:
    'Shows how scores are computed and how far a change of it has come, and what becomes of keys of people who ' +
    'leave; changes what is given. The worker carries a change to everyone.',
  options: {
    tenant: { value: 'tenant id', required: true, about: 'which tenant' },
    ...SETTING_OPTIONS,
    'revoke-keys-of-leavers': {
      value: 'on|off',
      about: 'whether API keys are revoked when whoever made them leaves; off unless chosen',
    },
    json,
  },
  run: async values => {
    const change = readChange(values)
    const revokes = values['revoke-keys-of-leavers']
    if (revokes !== undefined) readOneOf('revoke-keys-of-leavers', revokes, ['on', 'off'])
    const answer = await withTenant(values.tenant, async (tx, asked) => {
      if (Object.keys(change).length > 0) await changeScoringSettings(tx, asked, change)
      if (revokes !== undefined) await chooseLeaverKeys(tx, asked, revokes === 'on')
      return readScoringSettings(tx, values.tenant)
    })
    show(values.json, answer)
  },
})

function readChange(values: Readonly<Record<SettingOption, string | undefined>>): SettingsChange {
  const change: SettingsChange = {}
  for (const option of Object.keys(SETTING_OPTIONS) as SettingOption[]) {
    const text = values[option]
    if (text === undefined) continue
    if (!/^\d{1,9}$/.test(text)) throw new CommandError(`--${option} must be a whole number`)
    change[option.replaceAll('-', '_') as keyof TenantSettings] = Number(text)
  }
  return change
}

/** Progress in words for people; programs get the jobs as they are. */
function show(
  asJson: boolean | undefined,
  answer: Awaited<ReturnType<typeof readScoringSettings>>,
): void {
  if (asJson) {
    printJson(answer)
    return
  }
  const { jobs, ...settings } = answer
  printFields(false, settings)
  for (const { kind, job_id, status, employees_processed, employees_total } of jobs) {
    const progress = `${employees_processed} of ${countOf(employees_total, 'employee')}`
    print(`${kind} ${job_id} ${status}: ${status === 'queued' ? 'waiting' : progress}`)
  }
}
