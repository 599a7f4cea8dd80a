// Takes many events back at once, such as the clicks of a scanner in a campaign: previewed, then done, may be left.
import { Grid, Skeleton, Stack } from '@mantine/core'
import { useEffect } from 'react'
import { useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { refresh, useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { RetractionJob } from '../generated/api.ts'
import { BackTo } from '../ui/back-to.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { isOpen, JobProgress, whileOpen } from '../ui/job-progress.tsx'
import { MayNot } from '../ui/may-not.tsx'
import { plural } from '../ui/numbers.ts'
import { Outlook } from '../ui/outlook.tsx'
import { Card, Page } from '../ui/page.tsx'
import { straight } from '../ui/sentence.ts'
import { showToast } from '../ui/toasts.ts'
import { useWork } from '../ui/use-work.ts'
import { LatestRetractions } from './latest-retractions.tsx'
import { RetractForm } from './retract-form.tsx'

export function RetractPage() {
  const [address] = useAddress()
  const mayWrite = useMay('events:write')
  const job = useRetraction(address.job)
  if (!mayWrite) {
    return (
      <MayNot
        page="Retract events"
        icon="events"
        title="Your role reads events"
        back={{ to: '/events', label: 'To the events' }}
      >
        Someone who may submit events can take them back.
      </MayNot>
    )
  }
  return (
    <Page
      title="Retract events"
      state="They stay in the log and count for nothing from then on"
      above={<BackTo list="/events" />}
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <div>
            <RetractForm job={job.data} />
          </div>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg">
            {job.error && <ErrorNote error={job.error} retry={() => job.refetch()} />}
            {address.job && !job.data && !job.error && <Skeleton h={200} />}
            {job.data && <JobCard job={job.data} />}
            <LatestRetractions />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

/** Asked for again while it runs. */
function useRetraction(job_id: string | undefined) {
  const job = useRead(
    'GET /v1/events/retract/{job_id}',
    { params: { job_id: job_id ?? '' } },
    {
      enabled: job_id !== undefined,
      refetchInterval: ({ state }) => (job_id ? whileOpen(state.data?.status) : false),
    },
  )
  const status = job.data?.status
  useEffect(() => {
    if (status && !isOpen(status))
      refresh('/admin/jobs', '/v1/scores', '/v1/employees', '/v1/events')
  }, [status])
  return job
}

function JobCard({ job }: { job: RetractionJob }) {
  const [, run] = useWork()
  const { job_id, dry_run, events_matched, employees_affected, result } = job
  const cancel = () =>
    run(async () => {
      await call('DELETE /v1/events/retract/{job_id}', { params: { job_id } })
      await refresh('/v1/events/retract', '/admin/jobs')
      showToast('Cancelled; what is retracted stays so')
    })
  const words = `${plural(events_matched, 'event')} of ${plural(employees_affected, 'person', 'people')}`
  const label = dry_run ? 'What it would do' : 'Retraction'
  return (
    <Card title={label} about={`${words}: ${straight(job.reason)}`}>
      {(!dry_run || job.status !== 'completed') && (
        <JobProgress label={label} job={job} onCancel={cancel} />
      )}
      {dry_run && result && job.status === 'completed' && events_matched > 0 && (
        <Outlook
          spread="looked at"
          bands={{ before: result.bands_before, after: result.bands_after }}
          outcome={result}
        />
      )}
      {dry_run && job.status === 'completed' && events_matched === 0 && (
        <EmptyState bare icon="search" title="No event fits">
          Nothing would be retracted. Try fewer conditions.
        </EmptyState>
      )}
    </Card>
  )
}
