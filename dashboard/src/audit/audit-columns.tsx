// Entries of the audit log as rows: who did what to which thing, with the values before and after.
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../generated/api.ts'
import type { CsvColumns } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { asFields, printInLine } from './audit-values.ts'
import '../ui/layout.css'

export const AUDIT_SORTS = ['at', 'action', 'actor_id', 'subject_id'] as const

/** Ids and addresses stay in one piece where there is room for them. */
const WIDTH = 'clamp(6.25rem, 18.5vw, 15.625rem)'

type NameActor = (kind: string, id: string) => string

/** With names where they may be known. */
export const whoColumn = (nameActor: NameActor): Column<AuditEntry> => ({
  key: 'who',
  title: 'Who',
  sort: 'actor_id',
  wide: true,
  width: WIDTH,
  render: ({ actor }) => {
    const name = nameActor(actor.kind, actor.id)
    return (
      <>
        <span className="strong">{actorWords(actor.kind)}</span>
        {name !== actorWords(actor.kind) && (
          <div className="under">
            <Link
              to="/audit"
              search={{ actor_id: actor.id }}
              className="plain-link"
              title="Only what they did"
            >
              {name}
            </Link>
          </div>
        )}
      </>
    )
  },
})

export const WHAT: Column<AuditEntry> = {
  key: 'what',
  title: 'What',
  lines: 2,
  sort: 'action',
  render: entry => (
    <>
      <code className="event-type">{entry.action}</code>
      <div className="under three-lines">{sayDifference(entry)}</div>
    </>
  ),
}

/** The first cell opens the entry, for keyboards too; on phones it says who it was. */
export const whatColumn = (
  open: (entry: AuditEntry) => void,
  nameActor: NameActor,
): Column<AuditEntry> => ({
  ...WHAT,
  render: entry => (
    <>
      <button type="button" className="link-button event-type" onClick={() => open(entry)}>
        {entry.action}
      </button>
      <div className="under three-lines">{sayDifference(entry)}</div>
      <Text size="xs" c="dimmed" hiddenFrom="sm" className="break-anywhere">
        by {nameActor(entry.actor.kind, entry.actor.id)}
      </Text>
    </>
  ),
})

export const SUBJECT: Column<AuditEntry> = {
  key: 'subject',
  title: 'Subject',
  sort: 'subject_id',
  wide: true,
  width: WIDTH,
  render: entry => (
    <>
      {entry.subject.kind}
      <div className="under">
        <Link
          to="/audit"
          search={{ subject_id: entry.subject.id }}
          className="plain-link"
          title="Only what happened to it"
        >
          {entry.subject.id}
        </Link>
      </div>
    </>
  ),
}

export const WHEN: Column<AuditEntry> = {
  key: 'when',
  title: 'When',
  sort: 'at',
  align: 'right',
  render: entry => <RelativeTime at={entry.at} />,
}

export const AUDIT_CSV: CsvColumns<AuditEntry> = {
  seq: entry => entry.seq,
  at: entry => entry.at,
  action: entry => entry.action,
  actor_kind: entry => entry.actor.kind,
  actor_id: entry => entry.actor.id,
  subject_kind: entry => entry.subject.kind,
  subject_id: entry => entry.subject.id,
  request_id: entry => entry.request_id,
  address: entry => entry.address,
  before: entry => JSON.stringify(entry.before),
  after: entry => JSON.stringify(entry.after),
  truncated: entry => entry.truncated,
  hash: entry => entry.hash,
}

const KINDS: Record<string, string> = {
  user: 'Person',
  key: 'API key',
  app: 'OAuth app',
  operator: 'Operator',
  engine: 'Bellwether',
}

export function actorWords(kind: string): string {
  return KINDS[kind] ?? kind
}

/** The fields that differ, in words. */
function sayDifference({ before, after, erased, truncated }: AuditEntry): string {
  if (erased) return 'values erased'
  if (truncated) return 'values too long for a list'
  const [old, fresh] = [asFields(before), asFields(after)]
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
  return (
    names
      // When it was changed is told by the entry itself.
      .filter(name => name !== 'updated_at')
      .filter(name => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]))
      .slice(0, 6)
      .map(name =>
        name in old
          ? `${name}: ${printInLine(old[name])} → ${printInLine(fresh[name])}`
          : `${name}: ${printInLine(fresh[name])}`,
      )
      .join(', ')
  )
}
