// Whoever an unmatched event is about can be added right there; what came in for them is then replayed.
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEdges } from '../app/settings.ts'
import { AddPerson } from '../employees/add-employee.tsx'
import { emailKey, fullName } from '../employees/names.ts'
import type { Employee, UnmatchedEvent } from '../generated/api.ts'
import { sayScore } from '../ui/bands.ts'
import { plural } from '../ui/numbers.ts'
import { apart } from '../ui/sentence.ts'
import { showToast } from '../ui/toasts.ts'
import { inOrder, refreshAll, replay } from './replay-events.ts'

type Props = { email: string; events: readonly UnmatchedEvent[] }

/** `events`: those in sight, of anybody. */
export function AddUnmatched({ email, events }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  const edges = useEdges()
  const own = inOrder(events.filter(one => emailKey(one.employee.email) === emailKey(email)))
  const replayOwn = async (person: Employee) => {
    let { score } = person
    let done = 0
    try {
      for (const event of own) {
        score = (await replay(event)).score_after
        done += 1
      }
    } finally {
      refreshAll()
      const events = `${done < own.length ? `${done} of ` : ''}${plural(own.length, 'event')}`
      const name = apart(fullName(person))
      showToast(`${name} is added, ${events} replayed: ${sayScore(score, edges)}`)
    }
  }
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        onClick={open}
        aria-label={`Add ${email} as a person`}
      >
        Add
      </Button>
      <AddPerson
        opened={opened}
        onClose={close}
        email={email}
        action="Add and replay"
        about={`${plural(own.length, 'event')} shown here for this address will be replayed.`}
        onAdded={replayOwn}
      />
    </>
  )
}
