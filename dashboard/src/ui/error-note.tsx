// What went wrong, in words, with the request's id to copy for whoever is asked for help.
import { Alert, Button, Group, List, Text } from '@mantine/core'
import { CallError } from '../app/call-api.ts'
import { CopyValue } from './copy-value.tsx'
import { Icon } from './icons.tsx'

type Props = { error: unknown; retry?: () => void; title?: string }

export function ErrorNote({ error, retry, title = 'This did not work' }: Props) {
  const known = error instanceof CallError ? error : null
  const message = error instanceof Error ? error.message : String(error)
  return (
    <Alert
      color="red"
      variant="light"
      radius="lg"
      role="alert"
      title={title}
      icon={<Icon name="warning" />}
      className="error-note"
    >
      <Text size="sm">{sentence(message)}</Text>
      {known && known.faults.length > 0 && (
        <List size="sm" mt={4}>
          {known.faults.map(fault => (
            <List.Item key={fault.path + fault.message}>
              <b>{fault.path}</b> {fault.message}
            </List.Item>
          ))}
        </List>
      )}
      <Group gap="sm" mt="xs">
        {retry && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
        {known?.request_id && (
          <Text size="xs" component="span">
            Request <CopyValue value={known.request_id} what="request id" />
          </Text>
        )}
      </Group>
    </Alert>
  )
}

export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
