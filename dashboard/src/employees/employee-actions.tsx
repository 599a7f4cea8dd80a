// What one may do with a person: edit, adjust, deactivate, let back in, and what they may ask of us.
import { Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { Employee } from '../generated/api.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { MoreItem, MoreMenu } from '../ui/more-menu.tsx'
import { apart } from '../ui/sentence.ts'
import { showFailure, showToast } from '../ui/toasts.ts'
import { AdjustScore } from './adjust-score.tsx'
import { EditPerson } from './edit-person.tsx'
import { fullName, isErased } from './names.ts'
import { ErasePerson, ExportPersonItem } from './person-rights.tsx'

async function setStatus(person: Employee, status: 'active' | 'inactive'): Promise<void> {
  await call('PATCH /v1/employees/{id}', { params: { id: person.id }, body: { status } })
  refresh('/v1/employees', '/v1/scores', '/v1/audit')
}

function reactivate(person: Employee): Promise<void> {
  return setStatus(person, 'active')
    .then(() => showToast(`${apart(fullName(person))} is active again`))
    .catch(showFailure)
}

async function deactivate(person: Employee): Promise<void> {
  await setStatus(person, 'inactive')
  showToast(`${apart(fullName(person))} is inactive; the score is frozen`, {
    action: { label: 'Undo', run: () => reactivate(person) },
  })
}

export function EmployeeActions({ person }: { person: Employee }) {
  const mayWrite = useMay('employees:write')
  const mayAdjust = useMay('scores:adjust')
  const [adjusting, adjust] = useDisclosure(false)
  return (
    <>
      {mayAdjust && person.status === 'active' && !isErased(person) && (
        <Button variant="default" onClick={adjust.open}>
          Adjust score
        </Button>
      )}
      {mayWrite && !isErased(person) && <MoreActions person={person} />}
      <AdjustScore person={person} opened={adjusting} onClose={adjust.close} />
    </>
  )
}

function MoreActions({ person }: { person: Employee }) {
  const [editing, edit] = useDisclosure(false)
  const [leaving, leave] = useDisclosure(false)
  const [erasing, erase] = useDisclosure(false)
  const mayErase = useMay('tenant:manage')
  const name = fullName(person)
  return (
    <>
      <MoreMenu label="More actions" boxed>
        <MoreItem icon="edit" onClick={edit.open}>
          Edit department and title
        </MoreItem>
        <ExportPersonItem person={person} />
        <Menu.Divider />
        {person.status === 'active' ? (
          <MoreItem icon="close" onClick={leave.open}>
            Deactivate
          </MoreItem>
        ) : (
          <MoreItem icon="again" onClick={() => reactivate(person)}>
            Reactivate
          </MoreItem>
        )}
        {mayErase && (
          <MoreItem icon="trash" red onClick={erase.open}>
            Erase
          </MoreItem>
        )}
      </MoreMenu>
      <EditPerson person={person} opened={editing} onClose={edit.close} />
      <ErasePerson person={person} opened={erasing} onClose={erase.close} />
      <ConfirmByName
        opened={leaving}
        onClose={leave.close}
        title={`Deactivate ${name}`}
        name={name}
        action="Deactivate"
        onConfirm={() => deactivate(person)}
      >
        The score is frozen, events no longer move it, and {name} leaves every view of the
        organization. This can be undone.
      </ConfirmByName>
    </>
  )
}
