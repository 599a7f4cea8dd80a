// How long events are kept; what goes takes no score with it.
import { Button, NumberInput, Text } from '@mantine/core'
import { useState } from 'react'
import { callAdmin } from '../app/call-api.ts'
import { useMay } from '../app/session.ts'
import type { Settings } from '../app/settings.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { Card } from '../ui/page.tsx'
import { showToast } from '../ui/toasts.ts'
import { useStayHere } from '../ui/use-stay-here.ts'
import { lookAgain } from './change-settings.ts'
import { NO_NUMBER, readTyped, type Typed } from './typed-numbers.ts'
import { useSaving } from './use-saving.ts'
import '../ui/layout.css'

const LEAST = 6
const MOST = 36

export function RetentionCard({ settings }: { settings: Settings }) {
  const may = useMay('tenant:manage')
  const kept = settings.retention_months
  const [draft, setDraft] = useState<{ months?: Typed }>({})
  const { typed, values, changed, faults } = readTyped(['months'], { months: kept }, draft)
  const { months } = values
  const [asking, setAsking] = useState(false)
  const [saving, whileSaving] = useSaving()
  useStayHere(changed.length > 0 && !saving)
  const put = async () => {
    await callAdmin('PUT', '/admin/retention', { retention_months: months })
    await lookAgain()
  }
  const save = async () => {
    await whileSaving(put())
    showToast(`Events are kept ${months} months from now on`)
  }
  const shorter = months < kept
  const ready = may && months !== kept && months >= LEAST && months <= MOST
  return (
    <Card
      title="Retention"
      about="No score moves when old events go; what they weigh is carried on"
    >
      <form
        className="field-line"
        onSubmit={event => {
          event.preventDefault()
          if (ready) setAsking(true)
        }}
      >
        <NumberInput
          label="Events are kept"
          suffix=" months"
          min={LEAST}
          max={MOST}
          value={typed.months}
          allowDecimal={false}
          readOnly={!may}
          error={faults.length > 0 && NO_NUMBER}
          onChange={value => setDraft({ months: value })}
        />
        {may && (
          <Button type="submit" disabled={!ready}>
            Save
          </Button>
        )}
      </form>
      {may && (
        <Text size="xs" c="dimmed" mt={6}>
          {LEAST} to {MOST} months
        </Text>
      )}
      <ConfirmByName
        opened={asking}
        title={`Keep events ${months} months?`}
        name={shorter ? settings.name : null}
        action={shorter ? 'Remove older events' : 'Keep them longer'}
        onClose={() => setAsking(false)}
        onConfirm={save}
      >
        {shorter
          ? `Events older than ${months} months are removed for good, soon after. Scores stay.`
          : 'What was removed already does not come back.'}
      </ConfirmByName>
    </Card>
  )
}
