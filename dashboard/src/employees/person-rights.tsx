// A person's rights: everything stored about them in one file, and being forgotten.
import { useLeadOn } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { leaveDeleted } from '../app/query-client.ts'
import type { Employee } from '../generated/api.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { saveFile } from '../ui/csv.ts'
import { MoreItem } from '../ui/more-menu.tsx'
import { apart } from '../ui/sentence.ts'
import { showFailure, showToast } from '../ui/toasts.ts'
import { fullName } from './names.ts'

export function ExportPersonItem({ person }: { person: Employee }) {
  const save = () =>
    call('GET /v1/employees/{id}/export', { params: { id: person.id } })
      .then(all => {
        saveFile(`${person.id}.json`, JSON.stringify(all, null, 2), 'application/json')
        showToast(`Everything stored about ${apart(fullName(person))} is in ${person.id}.json`)
      })
      .catch(showFailure)
  return (
    <MoreItem icon="download" onClick={save}>
      Export all that is stored
    </MoreItem>
  )
}

type EraseProps = { person: Employee; opened: boolean; onClose: () => void }

export function ErasePerson({ person, opened, onClose }: EraseProps) {
  const leadOn = useLeadOn()
  const name = fullName(person)
  const erase = async () => {
    const { status } = await call('POST /v1/employees/{id}/erase', {
      params: { id: person.id },
      body: { confirm: 'erase' },
    })
    const named = ['/employees', '/v1/scores', '/v1/events', '/v1/actions']
    await leaveDeleted(() => leadOn({ to: '/employees' }), ...named)
    showToast(
      status === 'running'
        ? 'The person is erased; events and messages about them are still being emptied'
        : 'The person is erased; the numbers stay, without a name',
    )
  }
  return (
    <ConfirmByName
      opened={opened}
      onClose={onClose}
      title={`Erase ${name}`}
      name={name}
      action="Erase for good"
      onConfirm={erase}
    >
      Name, address, details of events, stored messages and values in the audit log are removed, and
      the person is inactive from now on. The numbers stay, without a name. What others wrote about
      the person in texts of their own stays. <b>This cannot be undone.</b>
    </ConfirmByName>
  )
}
