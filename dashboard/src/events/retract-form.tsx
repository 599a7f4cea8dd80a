// Which events to take back and why; a preview comes first, and the name is typed before it is done.
import { Button, Group, Input, SimpleGrid, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import type { RetractionJob } from '../generated/api.ts'
import { readRows } from '../rules/condition-rows.ts'
import { ConditionsField } from '../rules/conditions-field.tsx'
import { type ConditionsDraft, conditionsDraftFaults, readConditions } from '../rules/rule-draft.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { DateField } from '../ui/date-field.tsx'
import { isOpen } from '../ui/job-progress.tsx'
import { plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { PersonPicker } from '../ui/person-picker.tsx'
import { showToast } from '../ui/toasts.ts'
import { useWork } from '../ui/use-work.ts'
import { conditionsOf, filterOf, isNarrow, isPreviewOf, nameOf } from './retract-filter.ts'
import { TypeOrSource } from './type-or-source.tsx'

export function RetractForm({ job }: { job: RetractionJob | undefined }) {
  const [address, change] = useAddress()
  const [reason, setReason] = useState(address.reason ?? job?.reason ?? '')
  const [draft, write] = useConditions()
  // One of the latest, opened again, brings its own reason; one's own may be behind what is typed by then.
  const sent = useRef(address.reason)
  useEffect(() => {
    if (address.reason === undefined || address.reason === sent.current) return
    sent.current = address.reason
    setReason(address.reason)
  }, [address.reason])
  const faults = conditionsDraftFaults(draft)
  return (
    <Card title="Which events" about="All that is given must hold; what is left empty is any">
      <Stack gap="md" component="form" onSubmit={event => event.preventDefault()}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TypeOrSource name="type" label="Type of event" />
          <TypeOrSource name="source" label="Source" />
          <DateField name="from" label="From" replace />
          <DateField name="to" label="To" replace />
        </SimpleGrid>
        <div>
          <Input.Label component="div">Conditions</Input.Label>
          <ConditionsField
            draft={draft}
            event_type={address.type ?? ''}
            faults={faults}
            onChange={write}
            empty="Such as: campaign is 12-voicemail."
          />
        </div>
        <div>
          <Input.Label component="div">Person</Input.Label>
          <PersonPicker
            value={address.employee_id}
            onChange={employee_id => change({ employee_id }, true)}
          />
        </div>
        <Textarea
          label="Why"
          description="Kept with each event"
          placeholder="Clicks made by the mail scanner"
          value={reason}
          onChange={event => setReason(event.currentTarget.value)}
          maxLength={500}
          required
        />
        <Buttons job={job} reason={reason.trim()} sent={sent} faulty={faults.length > 0} />
      </Stack>
    </Card>
  )
}

/** The conditions of the address as they are typed; an address come to otherwise brings its own. */
function useConditions(): [ConditionsDraft, (next: ConditionsDraft) => void] {
  const [address, change] = useAddress()
  const read = (): ConditionsDraft => ({ mode: 'rows', rows: readRows(conditionsOf(address)) })
  const [draft, setDraft] = useState(read)
  const own = useRef(address.conditions)
  useEffect(() => {
    if (address.conditions === own.current) return
    own.current = address.conditions
    setDraft(read())
  }, [address.conditions])
  const write = (next: ConditionsDraft) => {
    setDraft(next)
    if (conditionsDraftFaults(next).length > 0) return
    const { conditions } = readConditions(next)
    own.current = Object.keys(conditions).length > 0 ? JSON.stringify(conditions) : undefined
    change({ conditions: own.current }, true)
  }
  return [draft, write]
}

/** Why there is no preview yet: the reason is marked as needed, that something is to be chosen is not. */
const sayNext = (filter: ReturnType<typeof filterOf>): string =>
  isNarrow(filter) ? 'Look at the preview first.' : 'Say which events first.'

type ButtonsProps = {
  job: RetractionJob | undefined
  reason: string
  /** The reason last put into the address. */
  sent: RefObject<string | undefined>
  faulty: boolean
}

function Buttons({ job, reason, sent, faulty }: ButtonsProps) {
  const [address, change] = useAddress()
  const [opened, { open, close }] = useDisclosure(false)
  const [busy, run] = useWork()
  const filter = filterOf(address)
  const ready = !faulty && reason !== '' && isNarrow(filter)
  const running = job !== undefined && isOpen(job.status)
  const previewed = isPreviewOf(job, filter) && job!.events_matched > 0
  const ask = async (dry_run: boolean) => {
    const answer = await call('POST /v1/events/retract', {
      query: { dry_run },
      body: { reason, filter },
    })
    sent.current = reason
    const shown = change({ job: answer.job_id, reason }, true)
    if (!shown && !dry_run)
      showToast(`The retraction of ${plural(job!.events_matched, 'event')} has begun`)
    refresh('/admin/jobs')
  }
  return (
    <>
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" maw={260}>
          {previewed ? 'This is what you saw in the preview.' : sayNext(filter)}
        </Text>
        <Group gap="xs">
          <Button
            variant={previewed ? 'default' : 'filled'}
            disabled={!ready || running}
            loading={busy}
            onClick={() => run(() => ask(true))}
          >
            Preview
          </Button>
          {previewed && (
            <Button color="red" disabled={!ready || running} onClick={open}>
              Retract {plural(job!.events_matched, 'event')}
            </Button>
          )}
        </Group>
      </Group>
      <ConfirmByName
        opened={opened}
        title={`Retract ${plural(job?.events_matched ?? 0, 'event')}?`}
        name={nameOf(filter)}
        action="Retract them"
        onClose={close}
        onConfirm={() => ask(false)}
      >
        They count for nothing from now on, for{' '}
        {plural(job?.employees_affected ?? 0, 'person', 'people')}. This cannot be taken back.
      </ConfirmByName>
    </>
  )
}
