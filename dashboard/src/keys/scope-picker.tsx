// Chooses scopes by what they allow; ready-made sets for what most people need.
import { Button, Checkbox, Group, Input, Stack, Text } from '@mantine/core'
import { useSession } from '../app/session.ts'
import { PRESETS, type ScopeGroup, scopeGroups } from './scopes.ts'
import './keys.css'

type Props = { label: string; value: readonly string[]; onChange: (scopes: string[]) => void }

export function ScopePicker({ label, value, onChange }: Props) {
  const held = useSession().data?.tenant?.scopes ?? []
  return (
    <div>
      <Group justify="space-between" mb={6} gap={4}>
        <Input.Label component="div" required>
          {label}
        </Input.Label>
        <Group gap={4}>
          {PRESETS.map(preset => (
            <Button
              key={preset.label}
              size="compact-xs"
              variant="default"
              onClick={() => onChange(preset.scopes.filter(scope => held.includes(scope)))}
            >
              {preset.label}
            </Button>
          ))}
        </Group>
      </Group>
      <Checkbox.Group value={[...value]} onChange={onChange} aria-label={label}>
        <div className="scope-groups">
          {scopeGroups(held).map(group => (
            <ScopeRows key={group.about} group={group} />
          ))}
        </div>
      </Checkbox.Group>
    </div>
  )
}

function ScopeRows({ group }: { group: ScopeGroup }) {
  return (
    <div className="scope-group">
      <Text size="sm" c="dimmed">
        {group.about}
      </Text>
      <Stack gap={6}>
        {group.scopes.map(([scope, words]) => (
          <Checkbox key={scope} value={scope} label={words} title={scope} size="sm" />
        ))}
      </Stack>
    </div>
  )
}
