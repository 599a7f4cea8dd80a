// One rule: what it says and has done, changed or made anew, tried before it is saved.
import { Grid, Paper } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { Rule } from '../generated/api.ts'
import { BackTo } from '../ui/back-to.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Facts } from '../ui/facts.tsx'
import { MayNot } from '../ui/may-not.tsx'
import { Page } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { UnreadPage } from '../ui/unread-page.tsx'
import { useActivity } from './read-rules.ts'
import { RuleActions } from './rule-actions.tsx'
import { sayActivity } from './rule-activity.ts'
import { beginDraft, draftOf } from './rule-draft.ts'
import { RuleEditor } from './rule-editor.tsx'
import { RuleSentence } from './rule-sentence.tsx'
import { CATEGORY_NAMES } from './rule-words.ts'
import { TryIt } from './try-it.tsx'
import './rules.css'

export function RulePage() {
  const { id } = useParams({ strict: false }) as { id: string }
  // A rule that was made here goes on in the editor it was written in, with what was typed meanwhile.
  const [made, setMade] = useState<string | null>(null)
  const isNew = id === 'new'
  const rule = useRead('GET /v1/rules/{id}', { params: { id } }, { enabled: !isNew })
  const mayWrite = useMay('rules:write')
  if (isNew && !mayWrite) return <MayNotCreate />
  const note = rule.error && (
    <ErrorNote
      title="This rule could not be read"
      error={rule.error}
      retry={() => rule.refetch()}
    />
  )
  const saved = rule.data ?? null
  if (!isNew && !saved) return <UnreadPage title="Rule" back={back} note={note} />
  return (
    <Page
      title={saved?.name ?? 'New rule'}
      state={saved ? <RuleState rule={saved} /> : 'Nothing is saved until you create it'}
      above={back}
      actions={saved && mayWrite && <RuleActions key={saved.id} rule={saved} />}
    >
      {note}
      {mayWrite && (
        <OwnEditor key={id === made ? 'new' : id} saved={saved} onMade={({ id }) => setMade(id)} />
      )}
      {!mayWrite && saved && <ReadRule key={saved.id} rule={saved} />}
    </Page>
  )
}

const back = <BackTo list="/rules" />

function MayNotCreate() {
  return (
    <MayNot
      page="New rule"
      icon="rules"
      title="Your role reads rules"
      back={{ to: '/rules', label: 'To the rules' }}
    >
      An owner or an admin of this organization can create one.
    </MayNot>
  )
}

function OwnEditor(props: { saved: Rule | null; onMade: (rule: Rule) => void }) {
  const [address] = useAddress()
  const { saved } = props
  const begin = saved ? draftOf(saved) : beginDraft(address.event_type, address.field)
  return <RuleEditor {...props} begin={begin} />
}

function RuleState({ rule }: { rule: Rule }) {
  const activity = useActivity()
  const did = activity?.(rule.id)
  const status = rule.status === 'active' ? 'Active' : 'Inactive'
  return did ? `${status}, ${sayActivity(did)}` : status
}

/** For those who may look and try, not change. */
function ReadRule({ rule }: { rule: Rule }) {
  const { name, event_type, category, impact, cooldown, conditions, priority, exclusive } = rule
  const written = { name, event_type, category, impact, cooldown, conditions, priority, exclusive }
  return (
    <>
      <Paper className="sentence-card">
        <RuleSentence rule={rule} />
      </Paper>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Paper>
            <Facts
              facts={[
                ['Category', CATEGORY_NAMES[category]],
                ['Priority', String(priority)],
                ['Origin', rule.is_default ? 'Came with the service' : 'Made here'],
                ['Created', <RelativeTime key="at" at={rule.created_at} />],
              ]}
            />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <TryIt rule={written} replaces={rule.id} />
        </Grid.Col>
      </Grid>
    </>
  )
}
