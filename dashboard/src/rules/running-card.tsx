// The recalculation itself: how far it is, and the way to stop it.
import { Skeleton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { call } from '../app/call-api.ts'
import { refresh, useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { RecalculationJob } from '../generated/api.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { isOpen, JobProgress, whileOpen } from '../ui/job-progress.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { departmentName } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import { showToast } from '../ui/toasts.ts'

export function sayScope(scope: RecalculationJob['scope']): string {
  return typeof scope === 'string' ? 'everyone' : departmentName(scope.department)
}

/** Asked for again while it runs. */
export function useRecalculation(job_id: string) {
  return useRead(
    'GET /v1/rules/recalculate/{job_id}',
    { params: { job_id } },
    { refetchInterval: ({ state }) => whileOpen(state.data?.status) },
  )
}

export function RunningCard({ job_id }: { job_id: string }) {
  const job = useRecalculation(job_id)
  const status = job.data?.status
  useEffect(() => {
    if (status && !isOpen(status))
      refresh('/admin/jobs', '/admin/rules', '/v1/scores', '/v1/employees', '/v1/events')
  }, [status])
  return (
    <KeptList read={job}>{job.data ? <Running job={job.data} /> : <Skeleton h={140} />}</KeptList>
  )
}

function Running({ job }: { job: RecalculationJob }) {
  const mayWrite = useMay('rules:write')
  const [opened, { open, close }] = useDisclosure(false)
  const { job_id, scope } = job
  const who = sayScope(scope)
  const cancel = async () => {
    await call('DELETE /v1/rules/recalculate/{job_id}', { params: { job_id } })
    await refresh('/v1/rules/recalculate', '/admin/jobs')
    showToast('The recalculation is cancelled; what is done stays')
  }
  return (
    <Card title={`Recalculation of ${who}`}>
      <JobProgress
        label={`Recalculation of ${who}`}
        job={job}
        {...(mayWrite ? { onCancel: open } : {})}
      />
      <ConfirmByName
        opened={opened}
        title={`Cancel the recalculation of ${who}?`}
        name={null}
        action="Cancel the recalculation"
        onClose={close}
        onConfirm={cancel}
      >
        Those who are done keep their new score, the others their old one.
      </ConfirmByName>
    </Card>
  )
}
