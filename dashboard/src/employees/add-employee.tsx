// Adds one person; many come by CSV.
import { Button, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { useEdges } from '../app/settings.ts'
import type { Employee } from '../generated/api.ts'
import { sayScore } from '../ui/bands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { Icon } from '../ui/icons.tsx'
import { apart } from '../ui/sentence.ts'
import { showToast } from '../ui/toasts.ts'
import { fullName } from './names.ts'

const EMPTY = {
  email: '',
  first_name: '',
  last_name: '',
  department: '',
  title: '',
  manager_email: '',
}
type Person = typeof EMPTY

const FIELDS: readonly { name: keyof Person; label: string; required?: boolean; type?: string }[] =
  [
    { name: 'first_name', label: 'First name', required: true },
    { name: 'last_name', label: 'Last name', required: true },
    { name: 'email', label: 'Email', required: true, type: 'email' },
    { name: 'department', label: 'Department' },
    { name: 'title', label: 'Title' },
    { name: 'manager_email', label: "Manager's email", type: 'email' },
  ]

const LABELS = Object.fromEntries(FIELDS.map(({ name, label }) => [name, label]))

export function AddEmployee() {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button onClick={open} leftSection={<Icon name="plus" size={16} />}>
        Add a person
      </Button>
      <AddPerson opened={opened} onClose={close} />
    </>
  )
}

type FormProps = {
  onClose: () => void
  /** Where it is known already, it is not to be changed. */
  email?: string
  action?: string
  about?: string
  /** What follows, in place of the word that all went well. */
  onAdded?: (person: Employee) => Promise<void>
}

export function AddPerson({ opened, ...form }: FormProps & { opened: boolean }) {
  return (
    <Dialog opened={opened} onClose={form.onClose} title="Add a person" size="lg">
      <AddForm {...form} />
    </Dialog>
  )
}

/** Lives as long as the dialog is open: each time it begins empty. */
function AddForm({ onClose, email = '', action = 'Add', about, onAdded }: FormProps) {
  const [person, setPerson] = useState({ ...EMPTY, email })
  const edges = useEdges()
  const navigate = useNavigate()
  const create = async () => {
    const made = await call('POST /v1/employees', { body: person })
    refresh('/v1/employees', '/v1/scores')
    onClose()
    if (onAdded) return onAdded(made)
    showToast(`${apart(fullName(made))} begins at ${sayScore(made.score, edges)}`, {
      action: {
        label: 'Open',
        run: () => navigate({ to: '/employees/$id', params: { id: made.id } }),
      },
    })
  }
  return (
    <FormBody action={action} labels={LABELS} onCancel={onClose} onSubmit={create}>
      {fault => (
        <>
          {about && <Text size="sm">{about}</Text>}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {FIELDS.map(({ name, label, required = false, type = 'text' }, i) => (
              <TextInput
                key={name}
                label={label}
                type={type}
                required={required}
                readOnly={name === 'email' && email !== ''}
                value={person[name]}
                error={fault(name)}
                onChange={event => setPerson({ ...person, [name]: event.currentTarget.value })}
                {...(i === 0 ? { 'data-autofocus': true } : {})}
              />
            ))}
          </SimpleGrid>
        </>
      )}
    </FormBody>
  )
}
