// Takes the whole log along, and has it proven that nothing in it was altered.
import { Alert, Button, Text } from '@mantine/core'
import { useState } from 'react'
import { call, callAdmin } from '../app/call-api.ts'
import { CopyValue } from '../ui/copy-value.tsx'
import { startDownload } from '../ui/csv.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons.tsx'
import { plural } from '../ui/numbers.ts'
import { useWork } from '../ui/use-work.ts'

type Verdict = { entries: number; valid: boolean; fault: string | null; head: string | null }

export function AuditTools() {
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  const [busy, run] = useWork()
  const verify = async () => setVerdict(await callAdmin<Verdict>('GET', '/admin/audit/verdict'))
  return (
    <>
      <Button variant="default" loading={busy} onClick={() => run(verify)}>
        Verify
      </Button>
      <ExportButton />
      <Dialog opened={verdict !== null} onClose={() => setVerdict(null)} title="The audit log">
        {verdict && <VerdictBody verdict={verdict} />}
      </Dialog>
    </>
  )
}

/** A download cannot say which organization the window shows, so a call before it does. */
function ExportButton() {
  const [busy, run] = useWork()
  const save = async () => {
    await call('GET /v1/audit', { query: { per_page: 1 } })
    startDownload('/admin/audit/export')
  }
  return (
    <Button
      variant="default"
      loading={busy}
      onClick={() => run(save)}
      leftSection={<Icon name="download" size={16} />}
    >
      Export NDJSON
    </Button>
  )
}

function VerdictBody({ verdict }: { verdict: Verdict }) {
  const { valid, entries, fault, head } = verdict
  return (
    <>
      <Alert
        color={valid ? 'teal' : 'red'}
        icon={<Icon name={valid ? 'check' : 'warning'} />}
        title={valid ? 'Nothing was altered' : 'The log does not hold'}
        mb="md"
      >
        <Text size="sm">
          {valid
            ? `All ${plural(entries, 'entry', 'entries')} follow from the one before.`
            : `After ${plural(entries, 'good entry', 'good entries')}: ${fault}.`}
        </Text>
      </Alert>
      {head && (
        <Text size="sm" c="dimmed" component="div">
          The last entry's number and hash. Note them down elsewhere: given to{' '}
          <code>bellwether audit verify --head</code> later, they show whether the end was cut.
          <div>
            <CopyValue value={head} what="number and hash" />
          </div>
        </Text>
      )}
    </>
  )
}
