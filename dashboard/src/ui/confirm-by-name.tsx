// Nothing destructive without its name: what cannot be taken back asks for the name to be typed.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorNote } from './error-note.tsx'
import { isSameName } from './same-name.ts'

type Props = {
  opened: boolean
  title: string
  /** What has to be typed; null: a press is enough, because it can be undone. */
  name: string | null
  action: string
  children: ReactNode
  onClose: () => void
  onConfirm: () => Promise<unknown>
}

export function ConfirmByName({ opened, title, ...form }: Props) {
  return (
    <Modal opened={opened} onClose={form.onClose} title={title}>
      <ConfirmForm key={form.name} {...form} />
    </Modal>
  )
}

type FormProps = Omit<Props, 'opened' | 'title'>

/** Lives as long as the dialog is open: a name is typed for the one thing it names. */
function ConfirmForm({ name, action, children, onClose, onConfirm }: FormProps) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const confirm = async () => {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      onClose()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const fits = name === null || isSameName(typed, name)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (fits) confirm()
      }}
    >
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {name !== null && (
          <TextInput
            label={
              <>
                Type <b>{name}</b> to confirm
              </>
            }
            value={typed}
            onChange={event => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {error !== null && <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" type="submit" disabled={!fits} loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
