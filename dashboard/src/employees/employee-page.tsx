// One person: where they stand, how it came, why, what will happen, and what one can do.
import { Badge, Group, Paper, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { oneOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { AuditTrail } from '../audit/audit-trail.tsx'
import type { Employee } from '../generated/api.ts'
import { BackTo } from '../ui/back-to.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { departmentName } from '../ui/numbers.ts'
import { ScoreDial } from '../ui/score-dial.tsx'
import { UnreadPage } from '../ui/unread-page.tsx'
import { EmployeeActions } from './employee-actions.tsx'
import { ForecastLine } from './forecast-line.tsx'
import { HistoryCard } from './history-card.tsx'
import { fullName, isErased } from './names.ts'
import { OwnActions } from './own-actions.tsx'
import { OwnEvents } from './own-events.tsx'
import { WhyCard } from './why-card.tsx'
import './employees.css'
import { apart } from '../ui/sentence.ts'

const back = <BackTo list="/employees" />

export function EmployeePage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const person = useRead('GET /v1/employees/{id}', { params: { id } })
  const name = person.data ? fullName(person.data) : 'Employee'
  useEffect(() => {
    document.title = `${name} · Bellwether`
  }, [name])
  const note = person.error && <ErrorNote error={person.error} retry={() => person.refetch()} />
  if (!person.data && !note) return <Waiting />
  if (!person.data) return <UnreadPage title="Employee" back={back} note={note} />
  return (
    <Stack gap="lg">
      <div>{back}</div>
      {note}
      <Head person={person.data} />
      <HistoryCard id={id} name={name} />
      <WhyCard id={id} score={person.data.score} band={person.data.band} />
      <Records id={id} />
    </Stack>
  )
}

/** As high as what comes, so that nothing jumps. */
function Waiting() {
  return (
    <Stack gap="lg" aria-busy="true">
      <div>{back}</div>
      <Skeleton h={158} radius="lg" />
      <Skeleton h={406} radius="lg" />
      <Skeleton h={320} radius="lg" />
    </Stack>
  )
}

function Head({ person }: { person: Employee }) {
  const { title, department, location, manager_email } = person
  const place = [title, departmentName(department), location].filter(Boolean).map(apart).join(' · ')
  return (
    <Paper>
      <Group gap="xl" align="center" className="person-head">
        <ScoreDial score={person.score} band={person.band} />
        <div className="stretch person-facts">
          <Group gap="sm">
            <Title order={1}>
              <bdi>{fullName(person)}</bdi>
            </Title>
            {person.status === 'inactive' && (
              <Badge color="gray" variant="light">
                Inactive
              </Badge>
            )}
          </Group>
          <Text c="dimmed">{place}</Text>
          <Text size="sm" c="dimmed">
            {person.email}
            {manager_email && <Manager email={manager_email} />}
          </Text>
          {isErased(person) && (
            <Text size="sm">The numbers stay, without a name; nothing here can be changed.</Text>
          )}
          <div className="forecast">
            <ForecastLine id={person.id} />
          </div>
        </div>
        <Group gap="xs" align="flex-start">
          <EmployeeActions person={person} />
        </Group>
      </Group>
    </Paper>
  )
}

function Manager({ email }: { email: string }) {
  return (
    <>
      {' · reports to '}
      <Link to="/employees" search={{ search: email, status: 'all' }} className="small-link">
        {email}
      </Link>
    </>
  )
}

function Records({ id }: { id: string }) {
  const [address, change] = useAddress()
  const mayActions = useMay('actions:read')
  const mayAudit = useMay('audit:read')
  const tabs = ['events', ...(mayActions ? ['actions'] : []), ...(mayAudit ? ['changes'] : [])]
  const tab = oneOf(address.tab, tabs) ?? 'events'
  return (
    <Paper p={0}>
      <Tabs value={tab} onChange={value => change({ tab: value ?? undefined })} keepMounted={false}>
        <Tabs.List px="md" pt="xs">
          <Tabs.Tab value="events">Events</Tabs.Tab>
          {mayActions && <Tabs.Tab value="actions">Actions</Tabs.Tab>}
          {mayAudit && <Tabs.Tab value="changes">History of changes</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="events">
          <OwnEvents id={id} />
        </Tabs.Panel>
        <Tabs.Panel value="actions">
          <OwnActions id={id} />
        </Tabs.Panel>
        <Tabs.Panel value="changes">
          <AuditTrail subject_id={id} />
        </Tabs.Panel>
      </Tabs>
    </Paper>
  )
}
