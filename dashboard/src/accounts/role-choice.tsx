// Chooses a role, with what it may do beside each.
import { Radio, Stack } from '@mantine/core'
import { ROLE_NAMES, ROLES, type Role } from './member.ts'

type Props = { value: Role; onChange: (role: Role) => void }

export function RoleChoice({ value, onChange }: Props) {
  return (
    <Radio.Group label="Role" value={value} onChange={role => onChange(role as Role)}>
      <Stack gap={10} mt={6}>
        {ROLE_NAMES.map(role => (
          <Radio
            key={role}
            value={role}
            label={ROLES[role].label}
            description={ROLES[role].about}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
