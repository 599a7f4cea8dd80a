// Takes one event back, with a reason; or leads to all of its campaign.
import { Button, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { useEdges } from '../app/settings.ts'
import { sayAddress } from '../employees/names.ts'
import type { EventDetail } from '../generated/api.ts'
import { sayScore } from '../ui/bands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { showToast } from '../ui/toasts.ts'

export function RetractEvent({ event }: { event: EventDetail }) {
  const [opened, { open, close }] = useDisclosure(false)
  const mayAdjust = useMay('scores:adjust')
  const { campaign } = event.details
  const mine =
    event.type.startsWith('recovery.') || (event.type.startsWith('manual.') && !mayAdjust)
  return (
    <>
      {typeof campaign === 'string' && (
        <Button
          variant="default"
          renderRoot={props => (
            <Link
              {...props}
              to="/events/retract"
              search={{ type: event.type, conditions: JSON.stringify({ campaign }) }}
            />
          )}
        >
          Retract the campaign
        </Button>
      )}
      {!event.retracted_at && !mine && (
        <Button variant="default" onClick={open}>
          Retract
        </Button>
      )}
      <Dialog opened={opened} onClose={close} title={`Retract ${event.type}?`}>
        <RetractForm event={event} onDone={close} />
      </Dialog>
    </>
  )
}

function RetractForm({ event, onDone }: { event: EventDetail; onDone: () => void }) {
  const [reason, setReason] = useState('')
  const edges = useEdges()
  const retract = async () => {
    const params = { id: event.id }
    const body = { reason: reason.trim() }
    const done = await call('POST /v1/events/{id}/retract', { params, body })
    await refresh('/v1/events', '/admin/events', '/v1/scores', '/v1/employees')
    onDone()
    const [before, after] = [done.score_before, done.score_after]
    showToast(
      `${event.type} of ${sayAddress(event.employee_email)} is retracted; the score went from ${sayScore(before, edges)} to ${sayScore(after, edges)}`,
    )
  }
  return (
    <FormBody
      action="Retract the event"
      disabled={reason.trim() === ''}
      onCancel={onDone}
      onSubmit={retract}
    >
      <Text size="sm">
        The event of <b>{sayAddress(event.employee_email)}</b> stays in the log and counts for
        nothing from now on. This cannot be taken back.
      </Text>
      <Textarea
        label="Why"
        description="Kept with the event"
        placeholder="The click was made by the mail scanner"
        value={reason}
        onChange={change => setReason(change.currentTarget.value)}
        maxLength={500}
        data-autofocus
        required
      />
    </FormBody>
  )
}
