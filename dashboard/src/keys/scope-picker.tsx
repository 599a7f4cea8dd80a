// Chooses scopes by what they allow; ready-made sets for what most people need.
import { Button, Checkbox, Group, Input, Stack, Text } from '@mantine/core'
import { useSession } from '../app/session.ts'
import { PRESETS, type ScopeGroup, scopeGroups } from './scopes.ts'
import '../ui/layout.css'
import './keys.css'

type Props = { label: string; value: readonly string[]; onChange: (scopes: string[]) => void }

export function ScopePicker({ label, value, onChange }: Props) {
  const held = useSession().data?.tenant?.scopes ?? []
  const toggle = (scope: string) =>
    onChange(value.includes(scope) ? value.filter(one => one !== scope) : [...value, scope])
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
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is laid out otherwise */}
      <div role="group" aria-label={label} className="scope-groups">
        {scopeGroups(held).map(group => (
          <ScopeRows key={group.about} group={group} value={value} onToggle={toggle} />
        ))}
      </div>
    </div>
  )
}

type RowsProps = {
  group: ScopeGroup
  value: readonly string[]
  onToggle: (scope: string) => void
}

function ScopeRows({ group, value, onToggle }: RowsProps) {
  return (
    <div className="scope-group">
      <Text size="sm" c="dimmed">
        {group.about}
      </Text>
      <Stack gap={6}>
        {group.scopes.map(([scope, words]) => (
          <Checkbox
            key={scope}
            checked={value.includes(scope)}
            onChange={() => onToggle(scope)}
            label={
              <>
                {words} <code className="event-type faint">{scope}</code>
              </>
            }
            size="sm"
          />
        ))}
      </Stack>
    </div>
  )
}
