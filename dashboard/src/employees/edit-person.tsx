// Changes what may be changed about a person: department and title.
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import type { Employee } from '../generated/api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { apart } from '../ui/sentence.ts'
import { showToast } from '../ui/toasts.ts'
import { fullName } from './names.ts'

type EditProps = { person: Employee; opened: boolean; onClose: () => void }

export function EditPerson({ person, opened, onClose }: EditProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Edit ${apart(fullName(person))}`}>
      <EditForm key={person.id} person={person} onClose={onClose} />
    </Dialog>
  )
}

/** Lives as long as the dialog is open: it begins with what the person has by then, and saves what was changed. */
function EditForm({ person, onClose }: Omit<EditProps, 'opened'>) {
  const [begun] = useState(person)
  const [department, setDepartment] = useState(begun.department)
  const [title, setTitle] = useState(begun.title)
  const changes = {
    ...(department === begun.department ? {} : { department }),
    ...(title === begun.title ? {} : { title }),
  }
  const save = async () => {
    const params = { id: person.id }
    await call('PATCH /v1/employees/{id}', { params, body: changes })
    refresh('/v1/employees', '/v1/scores', '/v1/audit')
    onClose()
    showToast(`${apart(fullName(person))} saved`)
  }
  return (
    <FormBody
      action="Save"
      disabled={Object.keys(changes).length === 0}
      onCancel={onClose}
      onSubmit={save}
    >
      <TextInput
        label="Department"
        maxLength={200}
        value={department}
        onChange={event => setDepartment(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label="Title"
        maxLength={200}
        value={title}
        onChange={event => setTitle(event.currentTarget.value)}
      />
    </FormBody>
  )
}
