// What one may do with a person: edit, adjust, deactivate, let back in.
import { ActionIcon, Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { Employee } from '../generated/api.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { showFailure, showToast } from '../ui/toasts.ts'
import { AdjustScore } from './adjust-score.tsx'
import { fullName } from './names.ts'

async function setStatus(person: Employee, status: 'active' | 'inactive'): Promise<void> {
  await call('PATCH /v1/employees/{id}', { params: { id: person.id }, body: { status } })
  refresh('/v1/employees', '/v1/scores')
}

export function EmployeeActions({ person }: { person: Employee }) {
  const mayWrite = useMay('employees:write')
  const mayAdjust = useMay('scores:adjust')
  const [editing, edit] = useDisclosure(false)
  const [adjusting, adjust] = useDisclosure(false)
  const [leaving, leave] = useDisclosure(false)
  const name = fullName(person)
  const reactivate = () =>
    setStatus(person, 'active')
      .then(() => showToast(`${name} is active again`))
      .catch(showFailure)
  const deactivate = async () => {
    await setStatus(person, 'inactive')
    showToast(`${name} is inactive; the score is frozen`, {
      action: { label: 'Undo', run: reactivate },
    })
  }
  if (!mayWrite && !mayAdjust) return null
  return (
    <>
      {mayAdjust && person.status === 'active' && (
        <Button variant="default" onClick={adjust.open}>
          Adjust score
        </Button>
      )}
      {mayWrite && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label="More actions">
              <Icon name="down" />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={edit.open} leftSection={<Icon name="edit" size={16} />}>
              Edit department and title
            </Menu.Item>
            {person.status === 'active' ? (
              <Menu.Item
                onClick={leave.open}
                color="red"
                leftSection={<Icon name="close" size={16} />}
              >
                Deactivate
              </Menu.Item>
            ) : (
              <Menu.Item onClick={reactivate} leftSection={<Icon name="again" size={16} />}>
                Reactivate
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <AdjustScore person={person} opened={adjusting} onClose={adjust.close} />
      <EditPerson person={person} opened={editing} onClose={edit.close} />
      <ConfirmByName
        opened={leaving}
        onClose={leave.close}
        title={`Deactivate ${name}`}
        name={name}
        action="Deactivate"
        onConfirm={deactivate}
      >
        The score is frozen, events no longer move it, and {name} leaves every view of the
        organization. This can be undone.
      </ConfirmByName>
    </>
  )
}

type EditProps = { person: Employee; opened: boolean; onClose: () => void }

function EditPerson({ person, opened, onClose }: EditProps) {
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
    <Modal opened={opened} onClose={onClose} title={`Edit ${fullName(person)}`}>
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
    </Modal>
  )
}
