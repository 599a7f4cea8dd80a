// Doing the past over with the rules of today: first what would change, then the work itself, which may be left.
import { Button, Grid, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import { useSettings } from '../app/settings.ts'
import { BackTo } from '../ui/back-to.tsx'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { DepartmentSelect } from '../ui/department-select.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { isOpen } from '../ui/job-progress.tsx'
import { departmentName, plural } from '../ui/numbers.ts'
import { Card, Page } from '../ui/page.tsx'
import { showToast } from '../ui/toasts.ts'
import { useWork } from '../ui/use-work.ts'
import { LatestJobs, useLatestJobs } from './latest-jobs.tsx'
import { PreviewCard } from './preview-card.tsx'
import { RunningCard } from './running-card.tsx'

export function RecalculatePage() {
  const [address] = useAddress()
  const mayWrite = useMay('rules:write')
  const jobs = useLatestJobs()
  const open = jobs.data?.data.find(job => job.kind !== 'preview' && isOpen(job.status))
  // Without one in the address the one that runs is shown, so that one finds it again.
  const job_id = address.job ?? open?.job_id
  return (
    <Page
      title="Recalculate"
      state="Replays everyone's events with the rules and settings of today"
      above={<BackTo list="/rules" />}
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="lg">
            {job_id && <RunningCard job_id={job_id} />}
            {mayWrite && <AskCard busy={open !== undefined} />}
            {address.preview && <PreviewCard job_id={address.preview} />}
            {!mayWrite && !job_id && (
              <EmptyState icon="again" title="Nothing is running">
                Someone who administers the organization can recalculate scores.
              </EmptyState>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <div>
            <LatestJobs jobs={jobs} />
          </div>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

function AskCard({ busy }: { busy: boolean }) {
  const [address, change] = useAddress()
  const [opened, { open, close }] = useDisclosure(false)
  const [asking, run] = useWork()
  const { department } = address
  const scope = department === undefined ? 'all' : { department }
  const who = department === undefined ? 'everyone' : departmentName(department)
  const preview = () =>
    run(async () => {
      const query = { dry_run: true }
      const { job_id } = await call('POST /v1/rules/recalculate', { query, body: { scope } })
      change({ preview: job_id })
      refresh('/admin/jobs')
    })
  const start = async () => {
    const { job_id } = await call('POST /v1/rules/recalculate', { body: { scope } })
    const shown = change({ job: job_id, preview: undefined })
    refresh('/admin/jobs')
    showToast(`The recalculation of ${who} is queued${shown ? '; you may leave this page' : ''}`)
  }
  return (
    <Card title="Whom" about={<Limit />}>
      <Group gap="sm" align="flex-end">
        <DepartmentSelect
          aria-label="Whom to recalculate"
          all="Everyone"
          counted
          className="grow-field"
          value={department}
          onChange={chosen => change({ department: chosen, preview: undefined })}
        />
        <Button variant="outline" onClick={preview} loading={asking}>
          Preview
        </Button>
        <Button onClick={open} disabled={busy}>
          Recalculate
        </Button>
      </Group>
      <ConfirmStart opened={opened} who={who} onClose={close} onConfirm={start} />
    </Card>
  )
}

type ConfirmProps = {
  opened: boolean
  who: string
  onClose: () => void
  onConfirm: () => Promise<unknown>
}

function ConfirmStart({ opened, who, onClose, onConfirm }: ConfirmProps) {
  return (
    <ConfirmByName
      opened={opened}
      title={`Recalculate ${who}?`}
      name={null}
      action={`Recalculate ${who}`}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      Scores of {who} become what today's rules make of their events. Events go on coming in
      meanwhile. The past of the charts stays as it was recorded, but the new scores stay too: there
      is no way back other than another recalculation.
    </ConfirmByName>
  )
}

/** Unread it takes its room already. */
function Limit() {
  const limits = useSettings().data?.limits
  const { recalculations = 1, recalculation_window_hours = 1 } = limits ?? {}
  const window = recalculation_window_hours === 1 ? 'hour' : `${recalculation_window_hours} hours`
  return (
    <span style={{ visibility: limits ? 'visible' : 'hidden' }}>
      Your plan allows {plural(recalculations, 'recalculation')} per {window}; previews are free
    </span>
  )
}
