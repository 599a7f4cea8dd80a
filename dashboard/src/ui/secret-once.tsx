// A secret, shown this once: copied, and put away only when the person says it is stored.
import { Button, Checkbox, CopyButton, Group, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Icon } from './icons.tsx'

type Props = {
  opened: boolean
  title: string
  secret: string
  what: string
  children: ReactNode
  onClose: () => void
}

export function SecretOnce({ opened, title, secret, what, children, onClose }: Props) {
  const [stored, setStored] = useState(false)
  useBlocker({ shouldBlockFn: () => true, disabled: !opened || stored })
  const close = () => {
    setStored(false)
    onClose()
  }
  return (
    <Dialog opened={opened} onClose={() => {}} withCloseButton={false} title={title} size="lg">
      <Stack>
        <Text size="sm">
          This is the only time the {what} is shown. Store it in a safe place before you go on.
        </Text>
        <div className="secret" data-testid="secret">
          {secret}
        </div>
        <CopyButton value={secret} timeout={2000}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />}
            >
              {copied ? 'Copied' : `Copy the ${what}`}
            </Button>
          )}
        </CopyButton>
        {children}
        <Group justify="space-between">
          <Checkbox
            label="I have stored it"
            checked={stored}
            onChange={event => setStored(event.currentTarget.checked)}
          />
          <Button disabled={!stored} onClick={close}>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
