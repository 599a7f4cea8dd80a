// Work that still carries a change of settings or rules to people.
import { Progress, Text } from '@mantine/core'
import type { Settings } from '../app/settings.ts'
import { count } from '../ui/numbers.ts'
import { Card } from '../ui/page.tsx'
import './settings.css'

const WORDS: Record<string, string> = {
  settings: 'Carrying new settings to everyone',
  recalculation: 'Recalculating scores',
}

export function JobsCard({ jobs }: { jobs: Settings['jobs'] }) {
  if (jobs.length === 0) return null
  return (
    <Card title="Under way" about="You may leave this page; it goes on without you">
      <div aria-live="polite">
        {jobs.map(({ job_id, kind, status, employees_total, employees_processed }) => (
          <div key={job_id} className="usage-row">
            <div className="usage-head">
              <span>{WORDS[kind] ?? kind}</span>
              <Text size="sm" c="dimmed" component="span" className="number">
                {status === 'queued'
                  ? 'waits for its turn'
                  : `${count(employees_processed)} of ${count(employees_total)} people`}
              </Text>
            </div>
            <Progress
              value={employees_total > 0 ? (employees_processed / employees_total) * 100 : 0}
              animated={status === 'running'}
              aria-label={WORDS[kind] ?? kind}
            />
          </div>
        ))}
      </div>
    </Card>
  )
}
