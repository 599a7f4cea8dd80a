// Nothing destructive without its name: what cannot be taken back asks for the name to be typed.
import { Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { FormBody } from './form-body.tsx'
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
    <Dialog opened={opened} onClose={form.onClose} title={title}>
      <ConfirmForm key={form.name} {...form} />
    </Dialog>
  )
}

type FormProps = Omit<Props, 'opened' | 'title'>

/** Lives as long as the dialog is open: a name is typed for the one thing it names. */
function ConfirmForm({ name, action, children, onClose, onConfirm }: FormProps) {
  const [typed, setTyped] = useState('')
  const confirm = async () => {
    await onConfirm()
    onClose()
  }
  return (
    <FormBody
      action={action}
      color="red"
      passing
      disabled={name !== null && !isSameName(typed, name)}
      onCancel={onClose}
      onSubmit={confirm}
    >
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
    </FormBody>
  )
}
