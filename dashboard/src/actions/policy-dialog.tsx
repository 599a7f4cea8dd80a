// Writing a policy: when, for whom, what then; the sentence it makes is read back below.
import { Select, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { DepartmentSelect } from '../ui/department-select.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { type FaultOf, FormBody } from '../ui/form-body.tsx'
import { showToast } from '../ui/toasts.ts'
import { type ActionType, TYPE_NAMES, TYPES } from './action-words.ts'
import { alwaysActs, type Policy, sayPolicy } from './policy.ts'
import {
  beginPolicy,
  draftPolicy,
  isReady,
  type PolicyDraft,
  policyChanges,
  writePolicy,
} from './policy-draft.ts'
import { TriggerFields } from './trigger-fields.tsx'
import './actions.css'

type Props = { opened: boolean; policy: Policy | null; onClose: () => void }

export function PolicyDialog({ opened, policy, onClose }: Props) {
  const title = policy ? 'Change the policy' : 'New policy'
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size="lg">
      <PolicyForm policy={policy} onClose={onClose} />
    </Dialog>
  )
}

const LABELS = { quiet_for: 'Rests for' }

function PolicyForm({ policy, onClose }: Omit<Props, 'opened'>) {
  const [begun] = useState(() => (policy ? draftPolicy(policy) : beginPolicy()))
  const [draft, setDraft] = useState(begun)
  const put = (change: Partial<PolicyDraft>) => setDraft({ ...draft, ...change })
  const input = writePolicy(draft)
  const changes = policyChanges(begun, draft)
  const save = async () => {
    const path = '/admin/action-policies'
    if (policy) await callAdmin('PATCH', `${path}/${policy.id}`, changes)
    else await callAdmin('POST', path, input)
    await refresh(path)
    showToast(policy ? `“${input.name}” is changed` : `“${input.name}” acts from now on`)
    onClose()
  }
  const ready = isReady(draft)
  return (
    <FormBody
      action={policy ? 'Save' : 'Create and switch on'}
      labels={LABELS}
      disabled={!ready || (policy !== null && Object.keys(changes).length === 0)}
      onCancel={onClose}
      onSubmit={save}
    >
      {fault => (
        <>
          <TextInput
            label="Name"
            maxLength={200}
            value={draft.name}
            onChange={event => put({ name: event.currentTarget.value })}
            required
            data-autofocus
          />
          <TriggerFields draft={draft} onChange={put} />
          <DepartmentSelect
            label="For"
            all="Everyone"
            value={draft.department ?? undefined}
            onChange={department => put({ department: department ?? null })}
          />
          <EffectFields draft={draft} fault={fault} onChange={put} />
          {ready && (
            <Text size="sm" className="said-policy">
              {sayPolicy(input)}
            </Text>
          )}
        </>
      )}
    </FormBody>
  )
}

type EffectProps = {
  draft: PolicyDraft
  fault: FaultOf
  onChange: (change: Partial<PolicyDraft>) => void
}

function EffectFields({ draft, fault, onChange }: EffectProps) {
  const { mail } = TYPES[draft.type]
  const aside = alwaysActs(writePolicy(draft).trigger) ? ', falling to Critical aside' : ''
  const choose = (type: ActionType) => onChange({ type, requires_approval: TYPES[type].asks_first })
  return (
    <>
      <Select
        label="Then"
        allowDeselect={false}
        value={draft.type}
        onChange={value => choose(value as ActionType)}
        data={TYPE_NAMES.map(value => ({ value, label: TYPES[value].label }))}
      />
      {draft.type === 'assign_training' && (
        <TextInput
          label="Course"
          maxLength={200}
          value={draft.course}
          onChange={event => onChange({ course: event.currentTarget.value })}
          required
        />
      )}
      {mail && (
        <Textarea
          label="Words of your own in the mail"
          maxLength={1000}
          value={draft.message}
          onChange={event => onChange({ message: event.currentTarget.value })}
        />
      )}
      <Switch
        label="A person has to approve first"
        checked={draft.requires_approval}
        onChange={event => onChange({ requires_approval: event.currentTarget.checked })}
      />
      <TextInput
        label={LABELS.quiet_for}
        description={`For the same person and reason${aside}; a number and s, m, h, d or w`}
        value={draft.quiet_for}
        error={fault('quiet_for')}
        onChange={event => onChange({ quiet_for: event.currentTarget.value })}
      />
    </>
  )
}
