// The editor of a rule: its sentence as it grows, the form, and the dry run beside it; saved at the end.
import { Button, Grid, Group, Paper, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import type { Rule } from '../generated/api.ts'
import { Refusal } from '../ui/error-note.tsx'
import { showToast } from '../ui/toasts.ts'
import { useSubmit } from '../ui/use-submit.ts'
import { type RuleDraft, type WrittenRule, writeRule } from './rule-draft.ts'
import { RuleForm } from './rule-form.tsx'
import { RuleSentence } from './rule-sentence.tsx'
import { TryIt } from './try-it.tsx'

type Props = { saved: Rule | null; begin: RuleDraft }

export function RuleEditor({ saved, begin }: Props) {
  const [draft, setDraft] = useState(begin)
  const { rule, faults } = writeRule(draft)
  const changed = saved === null || changesOf(saved, rule).length > 0
  const disabled = faults.length > 0 || !changed
  const { busy, error, submit } = useSubmit(useSave(saved, rule))
  return (
    <>
      <Paper className="sentence-card">
        <RuleSentence rule={{ ...rule, impact: Number.isFinite(rule.impact) ? rule.impact : 0 }} />
      </Paper>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Paper
            component="form"
            onSubmit={event => {
              event.preventDefault()
              if (!disabled) submit()
            }}
          >
            <RuleForm
              draft={draft}
              faults={faults}
              onChange={change => setDraft({ ...draft, ...change })}
            />
            {error !== null && <Refusal error={error} />}
            <SaveRow
              saved={saved}
              disabled={disabled}
              busy={busy}
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

function useSave(saved: Rule | null, rule: WrittenRule): () => Promise<void> {
  const navigate = useNavigate()
  return async () => {
    const made =
      saved === null
        ? await call('POST /v1/rules', { body: rule })
        : await call('PATCH /v1/rules/{id}', { params: { id: saved.id }, body: pick(saved, rule) })
    refresh('/v1/rules', '/admin/rules')
    showToast(`“${made.name}” is saved and applies to the next event`, {
      action: {
        label: 'Recalculate the past',
        run: () => navigate({ to: '/rules/recalculate' }),
      },
    })
    if (saved === null) await navigate({ to: '/rules/$id', params: { id: made.id }, replace: true })
  }
}

type SaveProps = { saved: Rule | null; disabled: boolean; busy: boolean; onReset: () => void }

function SaveRow({ saved, disabled, busy, onReset }: SaveProps) {
  return (
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
        <Button type="submit" disabled={disabled} loading={busy}>
          {saved === null ? 'Create the rule' : 'Save'}
        </Button>
      </Group>
    </Group>
  )
}

function pick(saved: Rule, rule: WrittenRule): Partial<WrittenRule> {
  return Object.fromEntries(changesOf(saved, rule).map(name => [name, rule[name]]))
}
