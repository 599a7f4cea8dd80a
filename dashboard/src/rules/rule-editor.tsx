// The editor of a rule: its sentence as it grows, the form, and the dry run beside it; saved at the end.
import { Alert, Button, Grid, Group, Paper, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useLeadOn } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { putRead, refresh } from '../app/query-client.ts'
import type { Rule } from '../generated/api.ts'
import { Refusal } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { showToast } from '../ui/toasts.ts'
import { useStayHere } from '../ui/use-stay-here.ts'
import { useSubmit } from '../ui/use-submit.ts'
import { changesOf, followSaved } from './rule-changes.ts'
import { draftOf, type RuleDraft, type WrittenRule, writeRule } from './rule-draft.ts'
import { RuleForm } from './rule-form.tsx'
import { RuleSentence } from './rule-sentence.tsx'
import { TryIt } from './try-it.tsx'
import './rules.css'

type Props = { saved: Rule | null; begin: RuleDraft; onMade: (rule: Rule) => void }

export function RuleEditor({ saved, begin, onMade }: Props) {
  const { draft, changes, unsaved, overtaken, put, reset, expect } = useDraft(saved, begin)
  const { rule, faults } = writeRule(draft)
  const disabled = faults.length > 0 || (saved !== null && changes.length === 0)
  const { busy, error, submit } = useSubmit(
    useSave(saved, rule, changes, made => {
      expect(draftOf(made))
      if (saved === null) onMade(made)
    }),
  )
  useStayHere(unsaved && !busy)
  return (
    <>
      <Paper className="sentence-card">
        <RuleSentence rule={{ ...rule, impact: Number.isFinite(rule.impact) ? rule.impact : 0 }} />
      </Paper>
      {overtaken && <Overtaken />}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Paper
            component="form"
            onSubmit={event => {
              event.preventDefault()
              if (!disabled) submit()
            }}
          >
            <RuleForm draft={draft} faults={faults} onChange={put} />
            {error !== null && <Refusal error={error} />}
            <SaveRow
              saved={saved}
              disabled={disabled}
              changed={changes.length > 0}
              busy={busy}
              onReset={reset}
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

/** Somebody else may save the rule meanwhile: what was changed here stays, and is told of. */
function useDraft(saved: Rule | null, begin: RuleDraft) {
  const [base, setBase] = useState({ saved, begin })
  const [draft, setDraft] = useState(begin)
  const [overtaken, setOvertaken] = useState(false)
  const [expected, expect] = useState<RuleDraft | null>(null)
  if (saved !== base.saved) {
    const next = followSaved(draft, base.begin, begin)
    const theirs = overtaken || changesOf(expected ?? base.begin, begin).length > 0
    expect(null)
    setBase({ saved, begin })
    setDraft(next)
    setOvertaken(theirs && changesOf(begin, next).length > 0)
  }
  return {
    draft,
    overtaken,
    changes: changesOf(base.begin, draft),
    unsaved: changesOf(expected ?? base.begin, draft).length > 0,
    put: (change: Partial<RuleDraft>) => setDraft({ ...draft, ...change }),
    reset: () => {
      setDraft(base.begin)
      setOvertaken(false)
    },
    /** What is saved here is no surprise when it is read. */
    expect,
  }
}

function Overtaken() {
  return (
    <Alert
      variant="light"
      color="indigo"
      radius="lg"
      icon={<Icon name="warning" />}
      title="This rule was saved elsewhere meanwhile"
      role="status"
    >
      What you have changed is kept and not saved yet; everything else shows what was saved.
    </Alert>
  )
}

function useSave(
  saved: Rule | null,
  rule: WrittenRule,
  changes: readonly (keyof WrittenRule)[],
  onSaved: (rule: Rule) => void,
): () => Promise<void> {
  const navigate = useNavigate()
  const leadOn = useLeadOn()
  return async () => {
    const body = Object.fromEntries(changes.map(name => [name, rule[name]]))
    const made =
      saved === null
        ? await call('POST /v1/rules', { body: rule })
        : await call('PATCH /v1/rules/{id}', { params: { id: saved.id }, body })
    onSaved(made)
    putRead('GET /v1/rules/{id}', { params: { id: made.id } }, made)
    refresh('/v1/rules', '/admin/rules')
    showToast(`“${made.name}” is saved and applies to the next event`, {
      action: {
        label: 'Recalculate the past',
        run: () => navigate({ to: '/rules/recalculate' }),
      },
    })
    if (saved === null) await leadOn({ to: '/rules/$id', params: { id: made.id }, replace: true })
  }
}

type SaveProps = {
  saved: Rule | null
  disabled: boolean
  changed: boolean
  busy: boolean
  onReset: () => void
}

function SaveRow({ saved, disabled, changed, busy, onReset }: SaveProps) {
  return (
    <Group justify="space-between" mt="lg" gap="sm">
      <Text size="sm" c="dimmed" maw={320}>
        Existing scores stay as they are until a recalculation.
      </Text>
      <Group gap="xs">
        {saved && changed && (
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
