// What becomes of an action: approved, rejected, reported done or failed; with a note for whoever looks later.
import { Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { CallError, call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { sayAddress } from '../employees/names.ts'
import type { Action } from '../generated/api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { showToast } from '../ui/toasts.ts'
import { STATUSES, sayAction } from './action-words.ts'

export type Verb = 'approve' | 'reject' | 'complete' | 'fail'

const WORDS: Record<Verb, { title: string; action: string; done: string; report: boolean }> = {
  approve: { title: 'Approve', action: 'Approve', done: 'is approved', report: false },
  reject: { title: 'Reject', action: 'Reject', done: 'is rejected', report: false },
  complete: { title: 'Report as done', action: 'It is done', done: 'is done', report: true },
  fail: { title: 'Report as failed', action: 'It failed', done: 'failed', report: true },
}

/** The action as it stood when the question was opened. */
export type Asked = { action: Action; verb: Verb }

type Props = { asked: Asked | null; onClose: () => void }

/** Stands beside the list, not in the card it is about: that one goes when somebody else decides first. */
export function VerdictDialog({ asked, onClose }: Props) {
  const title = asked ? `${WORDS[asked.verb].title}: ${sayAction(asked.action)}` : ''
  return (
    <Dialog opened={asked !== null} onClose={onClose} title={title}>
      {asked && <VerdictForm {...asked} onClose={onClose} />}
    </Dialog>
  )
}

/** Where another decision came first, what became of it is said, and shown behind the dialog. */
async function tellWhatBecame(error: unknown, action: Action): Promise<unknown> {
  if (!(error instanceof CallError) || error.status !== 409) return error
  refresh('/v1/actions', '/admin/notifications')
  const now = await call('GET /v1/actions/{id}', { params: { id: action.id } }).catch(() => action)
  if (now.status === action.status) return error
  const words = `It became “${STATUSES[now.status].words}” meanwhile; you changed nothing`
  return new CallError(words, error)
}

function VerdictForm({ action, verb, onClose }: Asked & { onClose: () => void }) {
  // A report has one note with the approval: what was said there is added to, not lost.
  const said = WORDS[verb].report ? action.outcome_note : ''
  const [note, setNote] = useState(said)
  const [outcome, setOutcome] = useState('')
  const { action: label, done, report } = WORDS[verb]
  const send = async () => {
    const params = { id: action.id }
    const body = { ...(note !== said ? { note } : {}), ...(report && outcome ? { outcome } : {}) }
    try {
      await call(`POST /v1/actions/{id}/${verb}`, { params, body })
    } catch (error) {
      throw await tellWhatBecame(error, action)
    }
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
        maxLength={1000}
        value={note}
        onChange={event => setNote(event.currentTarget.value)}
        data-autofocus
      />
    </FormBody>
  )
}
