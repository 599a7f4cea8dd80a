// Asks people to confirm who they are before something sensitive, then lets the waiting request go on.
import { PasswordInput, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { useCloseWithPage } from '../ui/use-close-with-page.ts'
import { prove } from './call-api.ts'
import { provideProof } from './proof.ts'
import { queryClient } from './query-client.ts'
import { SESSION_KEY, type Session } from './session.ts'

export function ProofDialog() {
  const [opened, setOpened] = useState(false)
  const settle = useRef<(proven: boolean) => void>(() => {})
  useEffect(() => {
    provideProof(
      () =>
        new Promise(resolve => {
          settle.current = resolve
          setOpened(true)
        }),
    )
  }, [])
  const end = (proven: boolean) => {
    setOpened(false)
    settle.current(proven)
  }
  // What it is about was left with the page: it is not done.
  useCloseWithPage(() => end(false))
  return (
    <Dialog opened={opened} onClose={() => end(false)} title="Confirm that it is you">
      {opened && <ProofForm onEnd={end} />}
    </Dialog>
  )
}

function ProofForm({ onEnd }: { onEnd: (proven: boolean) => void }) {
  const session = queryClient.getQueryData<Session>(SESSION_KEY)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const confirm = async () => {
    await prove(password, code)
    await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
    onEnd(true)
  }
  return (
    <FormBody action="Confirm" passing onCancel={() => onEnd(false)} onSubmit={confirm}>
      <Text size="sm">
        This change is sensitive. Your password keeps it yours for five minutes.
      </Text>
      <PasswordInput
        label="Password"
        value={password}
        onChange={event => setPassword(event.currentTarget.value)}
        autoComplete="current-password"
        data-autofocus
        required
      />
      {session?.user.second_factor && (
        <TextInput
          label="Code of your authenticator app, or a recovery code"
          value={code}
          onChange={event => setCode(event.currentTarget.value)}
          autoComplete="one-time-code"
          required
        />
      )}
    </FormBody>
  )
}
