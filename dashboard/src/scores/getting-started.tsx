// What to do first in a new organization: people, a first event, a webhook. It goes with the first event.
import { Button, CopyButton, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { Icon } from '../ui/icons.tsx'

export function GettingStarted({ people }: { people: number }) {
  const mayImport = useMay('employees:write')
  const maySend = useMay('events:write')
  const mayWebhooks = useMay('webhooks:write')
  const first = useRead('GET /v1/employees', { query: { per_page: 1 } })
  const events = useRead('GET /v1/events', { query: { per_page: 1 } })
  const webhooks = useRead('GET /v1/webhooks', { query: { per_page: 1 } })
  // Whoever has left was imported once.
  const imported = people > 0 || first.data?.pagination.total !== 0
  if (imported && events.data?.pagination.total !== 0) return null
  const email = first.data?.data[0]?.email ?? 'ada@example.com'
  return (
    <Paper component="section">
      <Title order={2} mb={4}>
        Three steps to a first score
      </Title>
      <Text c="dimmed" size="sm" mb="lg">
        Everyone begins at the starting score; events move it from there.
        {!mayImport && ' An owner or an admin of this organization takes these steps.'}
      </Text>
      <Stack gap="lg">
        <Step number={1} done={imported} title="Import your people">
          {mayImport && (
            <Button component={Link} to="/employees/import" size="xs" variant="light">
              Import a CSV file
            </Button>
          )}
        </Step>
        <Step number={2} done={(events.data?.pagination.total ?? 0) > 0} title="Send a first event">
          {maySend && <FirstEvent email={email} />}
        </Step>
        <Step number={3} done={(webhooks.data?.pagination.total ?? 0) > 0} title="Add a webhook">
          {mayWebhooks && (
            <Button component={Link} to="/webhooks" size="xs" variant="light">
              Tell another system
            </Button>
          )}
        </Step>
      </Stack>
    </Paper>
  )
}

function FirstEvent({ email }: { email: string }) {
  const mayKeys = useMay('keys:manage')
  return (
    <>
      <div className="code-line">{curlLine(email)}</div>
      <Group gap="xs" mt="xs">
        <CopyButton value={curlLine(email)}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy the command'}
            </Button>
          )}
        </CopyButton>
        {mayKeys && (
          <Button component={Link} to="/keys" size="xs" variant="light">
            Create an API key
          </Button>
        )}
      </Group>
    </>
  )
}

/** An address may hold a quote, which would end the one around it, and let the rest be a command. */
const SHELL_QUOTE = "'\\''"

function curlLine(email: string): string {
  const body = { source: 'first-try', event_type: 'sim.link_clicked', employee: { email } }
  return [
    `curl ${window.location.origin}/v1/events/webhook \\`,
    "  -H 'Authorization: Bearer <API_KEY>' \\",
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify(body).replaceAll("'", SHELL_QUOTE)}'`,
  ].join('\n')
}

type StepProps = { number: number; done: boolean; title: string; children: ReactNode }

function Step({ number, done, title, children }: StepProps) {
  return (
    <Group align="flex-start" wrap="nowrap" gap="md">
      <ThemeIcon
        radius="xl"
        size={30}
        variant={done ? 'filled' : 'light'}
        color={done ? 'teal' : 'indigo'}
      >
        {done ? <Icon name="check" size={16} /> : number}
      </ThemeIcon>
      <div className="stretch">
        <Text fw={600} mb={6} td={done ? 'line-through' : undefined}>
          {title}
          {done && <span className="sr-only"> (done)</span>}
        </Text>
        {!done && children}
      </div>
    </Group>
  )
}
