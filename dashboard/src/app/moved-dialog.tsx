// Says that the session went on elsewhere: another window switched the organization, or logged in as someone else.
import { Button, Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { isBack, provideMoved } from './call-api.ts'

/** It may be closed to copy what was being written; the next call that is refused opens it again. It goes by itself
 * when one comes back after the other window has switched back. */
export function MovedDialog() {
  const [where, setWhere] = useState<string | null>(null)
  useEffect(() => provideMoved(setWhere), [])
  useEffect(() => {
    if (where === null) return
    const look = () =>
      isBack().then(
        back => back && setWhere(null),
        () => {},
      )
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [where])
  return (
    <Dialog
      opened={where !== null}
      onClose={() => setWhere(null)}
      title="This window is out of date"
    >
      <Text size="sm">
        Another window went on <b>{where}</b>. What is shown here is from before that, and nothing
        was changed.
      </Text>
      <Group justify="flex-end" mt="md">
        {/* Addresses here are of the other organization, so it begins at the overview. */}
        <Button onClick={() => window.location.assign('/')} data-autofocus>
          Go on {where}
        </Button>
      </Group>
    </Dialog>
  )
}
