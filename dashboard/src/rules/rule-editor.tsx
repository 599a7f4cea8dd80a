// The editor of a rule: its sentence as it grows, the form, and the dry run beside it; saved at the end.
import { Button, Grid, Group, Paper, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type CallError, call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import type { Rule } from '../generated/api.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { showToast } from '../ui/toasts.ts'
import { type RuleDraft, type WrittenRule, writeRule } from './rule-draft.ts'
import { RuleForm } from './rule-form.tsx'
import { RuleSentence } from './rule-sentence.tsx'
import { TryIt } from './try-it.tsx'

type Props = { saved: Rule | null; begin: RuleDraft }

export function RuleEditor({ saved, begin }: Props) {
  const [draft, setDraft] = useState(begin)
  const { rule, faults } = writeRule(draft)
  const changed = saved === null || changesOf(saved, rule).length > 0
  return (
    <>
      <Paper className="sentence-card">
        <RuleSentence rule={{ ...rule, impact: Number.isFinite(rule.impact) ? rule.impact : 0 }} />
      </Paper>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Paper>
            <RuleForm
              draft={draft}
              faults={faults}
              onChange={change => setDraft({ ...draft, ...change })}
            />
            <SaveRow
              saved={saved}
              rule={rule}
              disabled={faults.length > 0 || !changed}
              onReset={() => setDraft(begin)}
            />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <TryIt
            rule={faults.length > 0 ? null : rule}
            {...(saved ? { replaces: saved.id } : {})}
          />
        </Grid.Col>
      </Grid>
    </>
  )
}

/** Names of the fields that differ. */
function changesOf(saved: Rule, rule: WrittenRule): (keyof WrittenRule)[] {
  const names = Object.keys(rule) as (keyof WrittenRule)[]
  return names.filter(name => JSON.stringify(saved[name]) !== JSON.stringify(rule[name]))
}

type SaveProps = {
  saved: Rule | null
  rule: WrittenRule
  disabled: boolean
  onReset: () => void
}

function SaveRow({ saved, rule, disabled, onReset }: SaveProps) {
  const navigate = useNavigate()
  const save = useMutation<Rule, CallError>({
    mutationFn: () =>
      saved === null
        ? call('POST /v1/rules', { body: rule })
        : call('PATCH /v1/rules/{id}', { params: { id: saved.id }, body: pick(saved, rule) }),
    onSuccess: made => {
      refresh('/v1/rules', '/admin/rules')
      showToast(`“${made.name}” is saved and applies to the next event`, {
        action: {
          label: 'Recalculate the past',
          run: () => navigate({ to: '/rules/recalculate' }),
        },
      })
      if (saved === null) navigate({ to: '/rules/$id', params: { id: made.id }, replace: true })
    },
  })
  return (
    <>
      {save.error && <ErrorNote error={save.error} />}
      <Group justify="space-between" mt="lg" gap="sm">
        <Text size="sm" c="dimmed" maw={320}>
          Existing scores stay as they are until a recalculation.
        </Text>
        <Group gap="xs">
          {saved && !disabled && (
            <Button variant="default" onClick={onReset}>
              Undo changes
            </Button>
          )}
          <Button disabled={disabled} loading={save.isPending} onClick={() => save.mutate()}>
            {saved === null ? 'Create the rule' : 'Save'}
          </Button>
        </Group>
      </Group>
    </>
  )
}

function pick(saved: Rule, rule: WrittenRule): Partial<WrittenRule> {
  return Object.fromEntries(changesOf(saved, rule).map(name => [name, rule[name]]))
}
