// The fields of a subscription: where messages go, what it is for, and which kinds it receives.
import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import type { FaultOf } from '../ui/form-body.tsx'
import { KIND_WORDS, KINDS, type Kind } from './webhook-words.ts'

export type WebhookInput = { url: string; description: string; events: Kind[] }

export const WEBHOOK_LABELS = { url: 'Destination', description: 'What it is for' }

type Props = { input: WebhookInput; fault: FaultOf; onChange: (input: WebhookInput) => void }

export function WebhookFields({ input, fault, onChange }: Props) {
  return (
    <>
      <TextInput
        label={WEBHOOK_LABELS.url}
        description="An https address that takes POST requests"
        placeholder="https://hooks.example.com/bellwether"
        type="url"
        value={input.url}
        error={fault('url')}
        onChange={event => onChange({ ...input, url: event.currentTarget.value })}
        required
        data-autofocus
      />
      <TextInput
        label={WEBHOOK_LABELS.description}
        placeholder="Incident channel"
        maxLength={200}
        value={input.description}
        error={fault('description')}
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
