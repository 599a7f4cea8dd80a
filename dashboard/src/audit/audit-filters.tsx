// The filters of the audit log; all of them stand in the address, and each holds as soon as it is chosen.
import { Button } from '@mantine/core'
import { useActors } from '../accounts/actor-name.tsx'
import { useAddress } from '../app/address.ts'
import { ChoiceFilter } from '../ui/choice-filter.tsx'
import { DateFilters } from '../ui/date-field.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { AUDIT_ACTIONS } from './audit-actions.ts'
import '../ui/layout.css'

export const AUDIT_FILTERS = ['action', 'actor_id', 'subject_id', 'from', 'to'] as const

export function AuditFilters() {
  const [address, change] = useAddress()
  const set = AUDIT_FILTERS.some(name => address[name] !== undefined)
  const clear = () => change(Object.fromEntries(AUDIT_FILTERS.map(name => [name, undefined])))
  return (
    <div className="filters">
      <ChoiceFilter
        name="action"
        label="Action"
        placeholder="Any action"
        searchable
        data={[...new Set([...AUDIT_ACTIONS, ...(address.action ? [address.action] : [])])]}
      />
      <ActorSelect />
      <SearchField
        label="Subject id"
        placeholder="Subject id"
        value={address.subject_id ?? ''}
        onChange={subject_id => change({ subject_id }, true)}
      />
      <DateFilters />
      {set && (
        <Button variant="subtle" onClick={clear}>
          Clear
        </Button>
      )}
    </div>
  )
}

/** By name; whoever is known by nothing but an id is chosen in a row or by the address. */
function ActorSelect() {
  const [address] = useAddress()
  const actors = useActors()
  const chosen = address.actor_id
  const data = [...actors].map(([value, label]) => ({ value, label }))
  if (chosen && !actors.has(chosen)) data.push({ value: chosen, label: chosen })
  return <ChoiceFilter name="actor_id" label="Who" placeholder="Anyone" searchable data={data} />
}
