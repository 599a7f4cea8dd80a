// What becomes of an action: approved, rejected, reported done or failed; with a note for whoever looks later.
import { Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { sayAddress } from '../employees/names.ts'
import type { Action } from '../generated/api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { showToast } from '../ui/toasts.ts'
import { sayAction } from './action-words.ts'

export type Verb = 'approve' | 'reject' | 'complete' | 'fail'

const WORDS: Record<Verb, { title: string; action: string; done: string; report: boolean }> = {
  approve: { title: 'Approve', action: 'Approve', done: 'is approved', report: false },
  reject: { title: 'Reject', action: 'Reject', done: 'is rejected', report: false },
  complete: { title: 'Report as done', action: 'It is done', done: 'is done', report: true },
  fail: { title: 'Report as failed', action: 'It failed', done: 'failed', report: true },
}

type Props = { action: Action; verb: Verb | null; onClose: () => void }

export function VerdictDialog({ action, verb, onClose }: Props) {
  const title = verb ? `${WORDS[verb].title}: ${sayAction(action)}` : ''
  return (
    <Dialog opened={verb !== null} onClose={onClose} title={title}>
      {verb && <VerdictForm action={action} verb={verb} onClose={onClose} />}
    </Dialog>
  )
}

function VerdictForm({ action, verb, onClose }: Props & { verb: Verb }) {
  const [note, setNote] = useState('')
  const [outcome, setOutcome] = useState('')
  const { action: label, done, report } = WORDS[verb]
  const send = async () => {
    const params = { id: action.id }
    const body = { ...(note ? { note } : {}), ...(report && outcome ? { outcome } : {}) }
    await call(`POST /v1/actions/{id}/${verb}`, { params, body })
    refresh('/v1/actions', '/admin/notifications')
    showToast(`${sayAction(action)} for ${sayAddress(action.employee_email)} ${done}`)
    onClose()
  }
  return (
    <FormBody action={label} onCancel={onClose} onSubmit={send}>
      <Text size="sm">
        For <b>{sayAddress(action.employee_email)}</b>.
        {verb === 'approve' && ' Subscribers are told at once and carry it out.'}
      </Text>
      {report && (
        <TextInput
          label="Outcome"
          placeholder="In a word or two"
          maxLength={200}
          value={outcome}
          onChange={event => setOutcome(event.currentTarget.value)}
        />
      )}
      <Textarea
        label="Note"
        description="Kept with the action"
        maxLength={500}
        value={note}
        onChange={event => setNote(event.currentTarget.value)}
        data-autofocus
      />
    </FormBody>
  )
}
