// A new API key: what for, what it may do, until when; then the key itself, shown this once.
import { Select, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { serviceNow } from '../app/service-clock.ts'
import { printLocal } from '../ui/dates.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { showToast } from '../ui/toasts.ts'
import { useStay } from '../ui/use-stay.ts'
import { ScopePicker } from './scope-picker.tsx'

type MadeKey = { id: string; key: string; name: string }

type Props = { opened: boolean; onClose: () => void }

export function NewKey({ opened, onClose }: Props) {
  const [made, setMade] = useState<MadeKey | null>(null)
  const finish = () => {
    showToast(`The key ${made?.name} can be used from now on`)
    setMade(null)
  }
  return (
    <>
      <Dialog opened={opened} onClose={onClose} title="New API key" size="lg">
        <NewKeyForm
          onCancel={onClose}
          onMade={key => {
            onClose()
            setMade(key)
          }}
        />
      </Dialog>
      <SecretOnce
        opened={made !== null}
        title={`The key ${made?.name ?? ''}`}
        secret={made?.key ?? ''}
        what="key"
        onClose={finish}
      >
        <Text size="sm" c="dimmed" component="div">
          Send it with every request:
          <div className="code-line">Authorization: Bearer {'<the key>'}</div>
        </Text>
      </SecretOnce>
    </>
  )
}

const DAY = 86_400_000
const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'On a date' },
  { value: 'never', label: 'Never' },
]

function readExpiry(choice: string, date: string, since: number): string | undefined {
  if (choice === 'never') return undefined
  if (choice === 'date') return new Date(`${date}T23:59:59`).toISOString()
  return new Date(since + Number(choice) * DAY).toISOString()
}

type FormProps = { onCancel: () => void; onMade: (key: MadeKey) => void }

function NewKeyForm({ onCancel, onMade }: FormProps) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<string[]>([])
  const [choice, setChoice] = useState('90')
  const [date, setDate] = useState('')
  // Counted from one instant: pressed again because an answer was lost, the wish is the same.
  const [since] = useState(serviceNow)
  const stayFor = useStay()
  const create = async () => {
    const expires_at = readExpiry(choice, date, since)
    const wanted = { name, scopes, ...(expires_at ? { expires_at } : {}) }
    const made = await stayFor(callAdmin<MadeKey>('POST', '/admin/keys', wanted))
    refresh('/admin/keys')
    onMade(made)
  }
  const ready = name.trim() !== '' && scopes.length > 0 && (choice !== 'date' || date !== '')
  return (
    <FormBody action="Create the key" disabled={!ready} onCancel={onCancel} onSubmit={create}>
      <TextInput
        label="Name"
        description="Who or what uses it; the audit log calls it so"
        placeholder="Phishing simulator"
        maxLength={200}
        value={name}
        onChange={event => setName(event.currentTarget.value)}
        required
        data-autofocus
      />
      <ScopePicker label="It may" value={scopes} onChange={setScopes} />
      <Select
        label="Expires"
        data={EXPIRIES}
        value={choice}
        onChange={value => setChoice(value ?? '90')}
        allowDeselect={false}
      />
      {choice === 'date' && (
        <TextInput
          type="date"
          label="Last day"
          min={printLocal(serviceNow()).slice(0, 10)}
          value={date}
          onChange={event => setDate(event.currentTarget.value)}
          required
        />
      )}
    </FormBody>
  )
}
