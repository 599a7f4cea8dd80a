// Says that the session has ended while a form was being filled in: one logs in beside it, and nothing is lost.
import { Button, Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { isBack } from './call-api.ts'
import { leaveToLogin, provideEnded } from './end-session.ts'

/** It goes away by itself when one comes back to this window logged in. */
export function EndedDialog() {
  const [ended, setEnded] = useState(false)
  useEffect(() => provideEnded(() => setEnded(true)), [])
  useEffect(() => {
    if (!ended) return
    // Whoever came back as somebody else is told so by another dialog.
    const look = () =>
      isBack().then(
        back => back && setEnded(false),
        () => setEnded(false),
      )
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [ended])
  return (
    <Dialog opened={ended} onClose={() => setEnded(false)} title="Your session has ended">
      <Text size="sm">
        Log in again in another window, then come back here and go on: nothing you have typed is
        lost.
      </Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={leaveToLogin}>
          Leave this page
        </Button>
        <Button component="a" href="/login" target="_blank" data-autofocus>
          Log in again
        </Button>
      </Group>
    </Dialog>
  )
}
