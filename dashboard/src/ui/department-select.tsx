// Chooses one department or all of them; where there are many, by typing.
import { Select, type SelectProps } from '@mantine/core'
import { useRead } from '../app/query-client.ts'
import { departmentName, plural } from './numbers.ts'
import { apart } from './sentence.ts'

/** Stands for all of them: a department without a name is still one, and no name has this character. */
const ALL = '\u0000'
const MANY = 12

type Props = Omit<SelectProps, 'data' | 'value' | 'onChange'> & {
  /** What all of them together are called. */
  all: string
  /** Whether each is told with how many people it has. */
  counted?: boolean
  value: string | undefined
  onChange: (department: string | undefined) => void
}

export function DepartmentSelect({ all, counted = false, value, onChange, ...props }: Props) {
  const departments = useRead('GET /v1/scores/departments').data?.data ?? []
  const known = departments.map(one => ({
    value: one.department,
    label: counted
      ? `${apart(departmentName(one.department))} · ${plural(one.employee_count, 'person', 'people')}`
      : departmentName(one.department),
  }))
  // What was asked for may have nobody in it by now.
  const lost = value !== undefined && !known.some(one => one.value === value)
  return (
    <Select
      {...props}
      data={[
        { value: ALL, label: all },
        ...known,
        ...(lost ? [{ value, label: departmentName(value) }] : []),
      ]}
      value={value ?? ALL}
      onChange={chosen => onChange(chosen === ALL || chosen === null ? undefined : chosen)}
      allowDeselect={false}
      searchable={known.length > MANY}
      nothingFoundMessage="No such department"
    />
  )
}
