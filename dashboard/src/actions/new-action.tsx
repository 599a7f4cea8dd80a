// Asks for an action by hand: for whom, what, and why.
import { Select, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh, useRead } from '../app/query-client.ts'
import { isErased, nameAndEmail, searchOf } from '../employees/names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { showToast } from '../ui/toasts.ts'
import { type ActionType, TYPE_NAMES, TYPES } from './action-words.ts'

type Props = { opened: boolean; onClose: () => void }

export function NewAction({ opened, onClose }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} title="New action">
      <NewActionForm onClose={onClose} />
    </Dialog>
  )
}

function NewActionForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [employee_id, setEmployee] = useState<string | null>(null)
  const [type, setType] = useState<ActionType>('notify_manager')
  const [course, setCourse] = useState('')
  const [note, setNote] = useState('')
  const needsCourse = type === 'assign_training'
  const ask = async () => {
    if (employee_id === null) return
    const parameters = needsCourse ? { course } : {}
    const made = await call('POST /v1/actions', { body: { employee_id, type, parameters, note } })
    refresh('/v1/actions')
    onClose()
    const waits = made.status === 'awaiting_approval'
    const show = () => navigate({ to: '/actions', search: { open: made.id } })
    showToast(waits ? 'It waits for the approval of somebody else' : 'It is set off', {
      action: { label: 'Show', run: show },
    })
  }
  const ready = employee_id !== null && (!needsCourse || course.trim() !== '')
  return (
    <FormBody action="Set it off" disabled={!ready} onCancel={onClose} onSubmit={ask}>
      <PersonField value={employee_id} onChange={setEmployee} />
      <Select
        label="What"
        allowDeselect={false}
        value={type}
        onChange={value => setType(value as ActionType)}
        data={TYPE_NAMES.map(value => ({ value, label: TYPES[value].label }))}
      />
      {needsCourse && (
        <TextInput
          label="Course"
          maxLength={200}
          value={course}
          onChange={event => setCourse(event.currentTarget.value)}
          required
        />
      )}
      <Textarea
        label="Why"
        maxLength={500}
        value={note}
        onChange={event => setNote(event.currentTarget.value)}
      />
      {TYPES[type].asks_first && (
        <Text size="sm" c="dimmed">
          This weighs heavily: an owner or admin other than you has to approve it first.
        </Text>
      )}
    </FormBody>
  )
}

type PersonProps = { value: string | null; onChange: (id: string | null) => void }

function PersonField({ value, onChange }: PersonProps) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(searchOf(text), 200)
  const people = useRead(
    'GET /v1/employees',
    { query: { search: asked || undefined, status: 'active', per_page: 20 } },
    { placeholderData: before => before },
  )
  return (
    <Select
      label="For"
      placeholder="Name or email"
      searchable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      nothingFoundMessage="Nobody found"
      data={(people.data?.data ?? [])
        .filter(one => !isErased(one))
        .map(one => ({ value: one.id, label: nameAndEmail(one) }))}
      required
      data-autofocus
    />
  )
}
