// Adjusts a score by hand, with a reason that stays in the log.
import { NumberInput, Text, Textarea } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { useEdges } from '../app/settings.ts'
import type { Employee, EventResult } from '../generated/api.ts'
import { sayScore } from '../ui/bands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { apart } from '../ui/sentence.ts'
import { showToast } from '../ui/toasts.ts'
import { fullName } from './names.ts'

const LEAST_REASON = 10

type Props = { person: Employee; opened: boolean; onClose: () => void }

export function AdjustScore({ person, opened, onClose }: Props) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={`Adjust the score of ${apart(fullName(person))}`}
    >
      <AdjustForm key={person.id} person={person} onClose={onClose} />
    </Dialog>
  )
}

/** Lives as long as the dialog is open: each time it begins empty. */
function AdjustForm({ person, onClose }: Omit<Props, 'opened'>) {
  const [impact, setImpact] = useState<number | string>('')
  const [reason, setReason] = useState('')
  const edges = useEdges()
  const navigate = useNavigate()
  const adjust = async () => {
    const path = `/admin/employees/${person.id}/adjustments`
    const answer = await callAdmin<EventResult>('POST', path, { impact, reason })
    refresh('/v1/employees', '/v1/scores', '/v1/events', '/v1/audit')
    onClose()
    const [before, after] = [answer.score_before, answer.score_after]
    showToast(
      `${apart(fullName(person))}: ${sayScore(before, edges)} → ${sayScore(after, edges)}`,
      {
        action: {
          label: 'See the event',
          run: () => navigate({ to: '/events/$id', params: { id: answer.id } }),
        },
      },
    )
  }
  const ready = typeof impact === 'number' && impact !== 0 && reason.trim().length >= LEAST_REASON
  return (
    <FormBody action="Adjust" disabled={!ready} onCancel={onClose} onSubmit={adjust}>
      <Text size="sm" c="dimmed">
        An adjustment is an event like any other: it fades with time and can be retracted.
      </Text>
      <NumberInput
        label="Change"
        description="A whole number from −100 to 100; negative lowers the score"
        min={-100}
        max={100}
        allowDecimal={false}
        value={impact}
        onChange={setImpact}
        data-autofocus
        required
      />
      <Textarea
        label="Reason"
        description={`At least ${LEAST_REASON} characters; kept in the audit log`}
        maxLength={500}
        value={reason}
        onChange={event => setReason(event.currentTarget.value)}
        required
      />
    </FormBody>
  )
}
