// The filters of the employee list; all of them stand in the address.
import { Button, Group, MultiSelect, Select } from '@mantine/core'
import { useAddress } from '../app/address.ts'
import { BAND_LOOK, BANDS } from '../ui/bands.ts'
import { clearButton } from '../ui/clear-button.ts'
import { DepartmentSelect } from '../ui/department-select.tsx'
import { Icon } from '../ui/icons.tsx'
import { SearchField } from '../ui/search-field.tsx'
import '../ui/filters.css'
import { readBands, readQuery } from './employee-query.ts'

export function EmployeeFilters() {
  const [address, change] = useAddress()
  const { department, status = 'all' } = readQuery(address)
  return (
    <Group gap="sm" align="flex-end">
      <SearchField
        label="Search by name or email"
        placeholder="Name or email"
        value={address.search ?? ''}
        onChange={search => change({ search }, true)}
      />
      <DepartmentSelect
        aria-label="Department"
        all="All departments"
        className="filter-field"
        value={department}
        onChange={chosen => change({ department: chosen })}
      />
      <BandField />
      <Select
        aria-label="Status"
        className="filter-field"
        data={[
          { value: 'active', label: 'Active' },
          { value: 'inactive', label: 'Inactive' },
          { value: 'all', label: 'Active or not' },
        ]}
        value={status}
        onChange={value =>
          change({ status: value === 'active' || value === null ? undefined : value })
        }
        allowDeselect={false}
      />
      <ScorePill />
    </Group>
  )
}

/** Set by a bar of the histogram; here it is seen and taken away. */
function ScorePill() {
  const [address, change] = useAddress()
  const { min_score, max_score } = readQuery(address)
  if (min_score === undefined && max_score === undefined) return null
  return (
    <Button
      variant="light"
      rightSection={<Icon name="close" size={14} />}
      onClick={() => change({ min_score: undefined, max_score: undefined })}
      aria-label="Scores from 0 to 100 again"
    >
      Scores {min_score ?? 0}–{max_score ?? 100}
    </Button>
  )
}

/** One band or several, such as all that are at risk. */
function BandField() {
  const [address, change] = useAddress()
  const chosen = readBands(address)
  return (
    <MultiSelect
      aria-label="Bands"
      placeholder={chosen.length === 0 ? 'All bands' : undefined}
      className="filter-field"
      clearable
      clearButtonProps={clearButton('bands')}
      data={BANDS.map(band => ({
        value: band,
        label: `${BAND_LOOK[band].mark} ${BAND_LOOK[band].label}`,
      }))}
      value={chosen}
      onChange={bands => change({ band: bands.join(',') || undefined })}
    />
  )
}
