// How far a long piece of work is, in counts; one may leave and come back to it.
import { Button, Group, Progress, Text } from '@mantine/core'
import { count, plural } from './numbers.ts'
import { RelativeTime } from './relative-time.tsx'
import { StatusMark, type Tone } from './status-mark.tsx'

export type JobStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

const LOOKS: Record<JobStatus, { tone: Tone; words: string }> = {
  queued: { tone: 'waiting', words: 'Waiting to begin' },
  running: { tone: 'waiting', words: 'Running' },
  completed: { tone: 'good', words: 'Done' },
  failed: { tone: 'bad', words: 'Failed' },
  cancelled: { tone: 'idle', words: 'Cancelled' },
}

export const isOpen = (status: JobStatus): boolean => status === 'queued' || status === 'running'

/** Looks again once a second while it runs, and not at all after. */
export const whileOpen = (status: JobStatus | undefined): number | false =>
  status === undefined || isOpen(status) ? 1000 : false

/** The same for a list of them, less often. */
export const whileAnyOpen = (jobs: readonly { status: JobStatus }[] | undefined): number | false =>
  jobs?.some(job => isOpen(job.status)) ? 2_000 : false

export function JobStatusMark({ status }: { status: JobStatus }) {
  return <StatusMark tone={LOOKS[status].tone}>{LOOKS[status].words}</StatusMark>
}

type Props = {
  label: string
  job: {
    status: JobStatus
    employees_total: number
    employees_processed: number
    scores_changed: number
    created_at: string
    finished_at: string | null
    error: string | null
  }
  onCancel?: () => void
}

export function JobProgress({ label, job, onCancel }: Props) {
  const { status, employees_total: total, employees_processed: done } = job
  const part = status === 'completed' ? 100 : total === 0 ? 0 : (done / total) * 100
  return (
    <div>
      <Group justify="space-between" mb={6} gap="xs">
        <JobStatusMark status={status} />
        <Text size="sm" c="dimmed" className="number" aria-live="polite">
          {status !== 'queued' &&
            `${count(done)} of ${plural(total, 'person', 'people')} · ${plural(job.scores_changed, 'score')} changed`}
        </Text>
      </Group>
      <Progress.Root size="lg" radius="xl">
        <Progress.Section
          value={part}
          aria-label={label}
          color={status === 'failed' ? 'red' : status === 'completed' ? 'teal' : 'indigo'}
          animated={status === 'running'}
        />
      </Progress.Root>
      <Group justify="space-between" mt="xs" gap="xs" mih={30}>
        <Text size="sm" c="dimmed" component="div">
          {isOpen(status) ? (
            'You may leave this page; it goes on without you.'
          ) : (
            <>
              Ended <RelativeTime at={job.finished_at} />
              {job.error && `: ${job.error}`}
            </>
          )}
        </Text>
        {onCancel && isOpen(status) && (
          <Button size="xs" variant="default" onClick={onCancel}>
            Cancel it
          </Button>
        )}
      </Group>
    </div>
  )
}
