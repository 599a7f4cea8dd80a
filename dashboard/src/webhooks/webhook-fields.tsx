// The fields of a subscription: where messages go, what it is for, and which kinds it receives.
import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { KIND_WORDS, KINDS, type Kind } from './webhook-words.ts'

export type WebhookInput = { url: string; description: string; events: Kind[] }

type Props = { input: WebhookInput; onChange: (input: WebhookInput) => void }

export function WebhookFields({ input, onChange }: Props) {
  return (
    <>
      <TextInput
        label="Destination"
        description="An https address that takes POST requests"
        placeholder="https://hooks.example.com/bellwether"
        type="url"
        value={input.url}
        onChange={event => onChange({ ...input, url: event.currentTarget.value })}
        required
        data-autofocus
      />
      <TextInput
        label="What it is for"
        placeholder="Incident channel"
        maxLength={200}
        value={input.description}
        onChange={event => onChange({ ...input, description: event.currentTarget.value })}
      />
      <Checkbox.Group
        label="Tell it when"
        value={input.events}
        onChange={events => onChange({ ...input, events: events as Kind[] })}
        required
      >
        <Stack gap={8} mt={8}>
          {KINDS.map(kind => (
            <Checkbox
              key={kind}
              value={kind}
              label={
                <Group gap={8}>
                  <span>{KIND_WORDS[kind]}</span>
                  <Text component="code" size="xs" c="dimmed" className="event-type">
                    {kind}
                  </Text>
                </Group>
              }
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </>
  )
}
