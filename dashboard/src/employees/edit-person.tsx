// Changes what may be changed about a person: department and title.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import type { Employee } from '../generated/api.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { showToast } from '../ui/toasts.ts'
import { fullName } from './names.ts'

type EditProps = { person: Employee; opened: boolean; onClose: () => void }

export function EditPerson({ person, opened, onClose }: EditProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Edit ${fullName(person)}`}>
      <EditForm key={person.id} person={person} onClose={onClose} />
    </Modal>
  )
}

/** Lives as long as the dialog is open: it begins with what the person has by then. */
function EditForm({ person, onClose }: Omit<EditProps, 'opened'>) {
  const [department, setDepartment] = useState(person.department)
  const [title, setTitle] = useState(person.title)
  const save = useMutation({
    mutationFn: () =>
      call('PATCH /v1/employees/{id}', { params: { id: person.id }, body: { department, title } }),
    onSuccess: () => {
      refresh('/v1/employees', '/v1/scores')
      onClose()
      showToast(`${fullName(person)} saved`)
    },
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack>
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
        {save.error && <ErrorNote error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
