// The inside of a dialog that asks for something: fields, what went wrong, and the two ways out.
import { Button, Group, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useOpened } from './dialog.tsx'
import { type FieldLabels, faultsOf, Refusal } from './error-note.tsx'
import { TYPED, useStayHere } from './use-stay-here.ts'
import { useSubmit } from './use-submit.ts'

/** What the server says about a field, by the API's name for it. */
export type FaultOf = (name: string) => string | undefined

type Props = {
  action: string
  color?: string
  /** The labels of the fields that show their own faults. */
  labels?: FieldLabels
  children: ReactNode | ((fault: FaultOf) => ReactNode)
  disabled?: boolean
  /** What is typed only confirms something: nobody misses it. */
  passing?: boolean
  onCancel?: () => void
  onSubmit: () => Promise<unknown>
}

export function FormBody(props: Props) {
  const { action, color, labels = {}, children, disabled = false, onCancel } = props
  const [typed, setTyped] = useState(false)
  const { busy, error, submit } = useSubmit(async () => {
    await props.onSubmit()
    setTyped(false)
  })
  const opened = useOpened()
  useStayHere(typed && opened && !busy && !props.passing, TYPED)
  const faultOf = (name: string) => faultsOf(error).find(({ path }) => path === name)?.message
  return (
    <form
      onInput={() => setTyped(true)}
      // A choice from a list is a press on it, and writes to its field without input.
      onClickCapture={({ target }) => {
        if ((target as Element).closest('[role="option"]')) setTyped(true)
      }}
      onSubmit={event => {
        event.preventDefault()
        if (!disabled) submit()
      }}
    >
      <Stack>
        {typeof children === 'function' ? children(faultOf) : children}
        {error !== null && <Refusal error={error} labels={labels} />}
        <Group justify="flex-end">
          {onCancel && (
            // Where nothing is to be typed, the way out that changes nothing has focus first.
            <Button variant="default" disabled={busy} onClick={onCancel} data-autofocus>
              Cancel
            </Button>
          )}
          <Button type="submit" disabled={disabled} loading={busy} {...(color ? { color } : {})}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
