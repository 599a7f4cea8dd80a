// One attempt to deliver: how it ended, where the time went, and the answer as it came.
import { Paper, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { DeliveryAttempt } from '../generated/api.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Icon } from '../ui/icons.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { sentence } from '../ui/sentence.ts'
import { StatusMark } from '../ui/status-mark.tsx'
import { TimingBar } from './timing-bar.tsx'
import { sayError } from './webhook-words.ts'
import './webhooks.css'

type Props = { attempt: DeliveryAttempt; opened: boolean }

export function AttemptCard({ attempt, opened }: Props) {
  const [shown, { toggle }] = useDisclosure(opened)
  const good = attempt.error === null
  return (
    <Paper component="li" p="md">
      <UnstyledButton className="attempt-head" onClick={toggle} aria-expanded={shown}>
        <StatusMark tone={good ? 'good' : 'bad'}>
          Attempt {attempt.attempt}: {attempt.response?.status ?? sayStage(attempt.stage)}
        </StatusMark>
        <span className="stretch" />
        <Text size="sm" c="dimmed" component="span">
          <RelativeTime at={attempt.started_at} />
        </Text>
        <Icon name={shown ? 'up' : 'down'} size={15} />
      </UnstyledButton>
      {shown && <AttemptBody attempt={attempt} />}
    </Paper>
  )
}

const STAGES: Record<string, string> = {
  destination: 'not allowed',
  dns: 'host not found',
  connect: 'no connection',
  tls: 'no secure connection',
  send: 'could not be sent',
  headers: 'no answer',
  body: 'answer cut short',
  status: 'refused',
}

const sayStage = (stage: string | null) => (stage ? (STAGES[stage] ?? stage) : 'no answer')

function AttemptBody({ attempt }: { attempt: DeliveryAttempt }) {
  const { error, response, request } = attempt
  return (
    <div className="attempt-body">
      {error !== null && (
        <Text size="sm" className="bad">
          {sentence(sayError(error))}
        </Text>
      )}
      <TimingBar attempt={attempt} />
      {response && (
        <Section title="Answer">
          <CodeBlock
            what="answer"
            text={`${printHeaders(response.headers)}\n\n${printBody(response)}`}
          />
        </Section>
      )}
      <Section title="Request">
        <CodeBlock
          what="request headers"
          text={`POST ${request.url}\n${printHeaders(request.headers)}`}
        />
      </Section>
    </div>
  )
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={550} mb={4}>
        {title}
      </Text>
      {children}
    </div>
  )
}

function printHeaders(headers: Record<string, unknown>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
    .join('\n')
}

function printBody(response: NonNullable<DeliveryAttempt['response']>): string {
  const { body, encoding, truncated } = response
  const shown = encoding === 'base64' ? `(not text, base64)\n${body}` : body || '(empty)'
  return truncated ? `${shown}\n… (there was more)` : shown
}
