// What a recalculation would change, before it is begun.
import { Skeleton, Text } from '@mantine/core'
import type { RecalculationJob } from '../generated/api.ts'
import { JobProgress } from '../ui/job-progress.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { plural } from '../ui/numbers.ts'
import { Outlook } from '../ui/outlook.tsx'
import { Card } from '../ui/page.tsx'
import { sayScope, useRecalculation } from './running-card.tsx'

export function PreviewCard({ job_id }: { job_id: string }) {
  const job = useRecalculation(job_id)
  return (
    <KeptList read={job}>{job.data ? <Preview job={job.data} /> : <Skeleton h={300} />}</KeptList>
  )
}

function Preview({ job }: { job: RecalculationJob }) {
  const { result, scope, status } = job
  const title = `What would change for ${sayScope(scope)}`
  if (!result || status !== 'completed') {
    return (
      <Card title={title}>
        <JobProgress label="Preview" job={job} />
      </Card>
    )
  }
  const changed = job.scores_changed
  return (
    <Card
      title={title}
      about={`${plural(changed, 'score')} of ${plural(job.employees_processed, 'person', 'people')} would differ`}
    >
      {changed === 0 ? (
        <Text size="sm">
          Nothing: every score is already what today's rules make of the events.
        </Text>
      ) : (
        <Outlook
          spread="looked at"
          bands={{ before: result.bands_before, after: result.bands_after }}
          outcome={result}
        />
      )}
    </Card>
  )
}
