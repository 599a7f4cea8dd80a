// What the person in front may decide about an action; nobody approves what they asked for themselves.
import { Button, Group, Text } from '@mantine/core'
import { useMay, useSession } from '../app/session.ts'
import type { Action } from '../generated/api.ts'
import { TYPES } from './action-words.ts'
import type { Asked } from './verdict-dialog.tsx'

type Props = { action: Action; onAsk: (asked: Asked) => void }

export function VerdictButtons({ action, onAsk }: Props) {
  const mayDecide = useMay('actions:manage')
  const mayReport = useMay('actions:execute')
  const own = action.requested_by === `user:${useSession().data?.user.id}`
  const waits = action.status === 'awaiting_approval' && mayDecide
  const runs = action.status === 'triggered' && mayReport && !TYPES[action.type].mail
  if (!waits && !runs) return null
  return (
    <div>
      <Group gap="xs">
        {waits && !own && (
          <Button onClick={() => onAsk({ action, verb: 'approve' })}>Approve</Button>
        )}
        {waits && (
          <Button variant="default" onClick={() => onAsk({ action, verb: 'reject' })}>
            Reject
          </Button>
        )}
        {runs && (
          <Button onClick={() => onAsk({ action, verb: 'complete' })}>Report as done</Button>
        )}
        {runs && (
          <Button variant="default" onClick={() => onAsk({ action, verb: 'fail' })}>
            Report as failed
          </Button>
        )}
      </Group>
      {waits && own && (
        <Text size="sm" c="dimmed" mt={6}>
          You asked for this yourself; somebody else has to approve it.
        </Text>
      )}
    </div>
  )
}
