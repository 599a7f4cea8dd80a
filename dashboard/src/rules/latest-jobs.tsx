// The latest recalculations and previews, to be opened again.
import { Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RecalculationJob } from '../generated/api.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { JobStatusMark, whileAnyOpen } from '../ui/job-progress.tsx'
import { plural } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { useAdmin } from '../ui/use-admin.ts'
import { sayScope } from './running-card.tsx'
import '../ui/layout.css'

export type LatestJob = RecalculationJob & { kind: 'recalculation' | 'preview' | 'settings' }

const NAMES = {
  recalculation: 'Recalculation',
  preview: 'Preview',
  settings: 'Change of settings',
} as const

export function useLatestJobs() {
  return useAdmin<{ data: LatestJob[] }>('/admin/jobs?kind=recalculation', {
    refetchInterval: ({ state }) => whileAnyOpen(state.data?.data),
  })
}

export function LatestJobs({ jobs }: { jobs: ReturnType<typeof useLatestJobs> }) {
  const all = jobs.data?.data
  return (
    <Card title="Lately">
      {jobs.error && <ErrorNote error={jobs.error} retry={() => jobs.refetch()} />}
      {!all && !jobs.error && <Skeleton h={120} />}
      {all?.length === 0 && (
        <EmptyState bare icon="again" title="Not yet">
          A preview shows what today's rules make of the past, and changes nothing.
        </EmptyState>
      )}
      <Stack gap={0} component="ul" className="plain-list">
        {all?.map(job => (
          <li key={job.job_id} className="job-row">
            <Link to="/rules/recalculate" search={searchOf(job)} className="plain-link">
              <span className="strong">{NAMES[job.kind]}</span> of {sayScope(job.scope)}
              <Text size="sm" c="dimmed" component="div">
                <RelativeTime at={job.created_at} />
                {job.status !== 'queued' && ` · ${plural(job.scores_changed, 'score')}`}
              </Text>
            </Link>
            <JobStatusMark status={job.status} />
          </li>
        ))}
      </Stack>
    </Card>
  )
}

function searchOf({ job_id, kind, scope }: LatestJob): Record<string, string | undefined> {
  const department = typeof scope === 'string' ? undefined : scope.department
  return kind === 'preview' ? { preview: job_id, department } : { job: job_id, department }
}
