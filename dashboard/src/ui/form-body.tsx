// The inside of a dialog that asks for something: fields, what went wrong, and the two ways out.
import { Button, Group, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorNote } from './error-note.tsx'

type Props = {
  action: string
  children: ReactNode
  disabled?: boolean
  onCancel?: () => void
  onSubmit: () => Promise<unknown>
}

export function FormBody({ action, children, disabled = false, onCancel, onSubmit }: Props) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const submit = async () => {
    setBusy(true)
    setError(null)
    try {
      await onSubmit()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (!disabled) submit()
      }}
    >
      <Stack>
        {children}
        {error !== null && <ErrorNote error={error} />}
        <Group justify="flex-end">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" disabled={disabled} loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
