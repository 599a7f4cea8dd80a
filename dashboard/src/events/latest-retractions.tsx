// The latest retractions by filter, to be opened again.
import { Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RetractionJob } from '../generated/api.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { JobStatusMark, whileAnyOpen } from '../ui/job-progress.tsx'
import { plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { straight } from '../ui/sentence.ts'
import { useAdmin } from '../ui/use-admin.ts'
import { addressOf } from './retract-filter.ts'
import '../ui/layout.css'

export function LatestRetractions() {
  const jobs = useAdmin<{ data: RetractionJob[] }>('/admin/jobs?kind=retraction', {
    refetchInterval: ({ state }) => whileAnyOpen(state.data?.data),
  })
  if (jobs.error) return <ErrorNote error={jobs.error} retry={() => jobs.refetch()} />
  if (!jobs.data || jobs.data.data.length === 0) return null
  return (
    <Card title="Lately">
      <Stack gap={0} component="ul" className="plain-list">
        {jobs.data.data.map(job => (
          <li key={job.job_id} className="job-row">
            <Link to="/events/retract" search={addressOf(job)} className="plain-link">
              <span className="strong">{job.dry_run ? 'Preview' : 'Retraction'}</span>:{' '}
              {straight(job.reason)}
              <Text size="sm" c="dimmed" component="div">
                <RelativeTime at={job.created_at} /> · {plural(job.events_matched, 'event')}
              </Text>
            </Link>
            <JobStatusMark status={job.status} />
          </li>
        ))}
      </Stack>
    </Card>
  )
}
