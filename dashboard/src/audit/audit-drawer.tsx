// One entry in full: every field that changed, before and after.
import { Skeleton, Stack, Table, Text } from '@mantine/core'
import { useActorNames } from '../accounts/actor-name.tsx'
import { useRead } from '../app/query-client.ts'
import type { AuditEntry } from '../generated/api.ts'
import { CopyValue } from '../ui/copy-value.tsx'
import { SidePanel } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Facts } from '../ui/facts.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { spelt } from '../ui/sentence.ts'
import { actorWords } from './audit-columns.tsx'
import { asFields, printValue } from './audit-values.ts'
import '../ui/layout.css'

type Props = { entry: AuditEntry | null; onClose: () => void }

export function AuditDrawer({ entry, onClose }: Props) {
  return (
    <SidePanel
      opened={entry !== null}
      onClose={onClose}
      size="lg"
      title={entry ? `${entry.seq}. ${entry.action}` : ''}
    >
      {entry && <EntryBody entry={entry} />}
    </SidePanel>
  )
}

function EntryBody({ entry }: { entry: AuditEntry }) {
  const nameActor = useActorNames()
  const { kind, id: actor } = entry.actor
  const id = (value: string, what: string) => <CopyValue value={value} what={what} />
  return (
    <Stack>
      {entry.truncated ? <WholeDifferences seq={entry.seq} /> : <Differences entry={entry} />}
      <Facts
        facts={[
          ['When', <RelativeTime key="at" at={entry.at} />],
          [
            'Who',
            <>
              {[...new Set([actorWords(kind), nameActor(kind, actor)])].join(' ')}{' '}
              {id(actor, 'actor id')}
            </>,
          ],
          [
            'Subject',
            <>
              {entry.subject.kind} {id(entry.subject.id, 'subject id')}
            </>,
          ],
          ['From', entry.address || 'a command'],
          ['Request', entry.request_id ? id(entry.request_id, 'request id') : 'none'],
          ['Hash', id(entry.hash, 'hash')],
        ]}
      />
    </Stack>
  )
}

/** Of an entry whose values are too long for the list. */
function WholeDifferences({ seq }: { seq: number }) {
  const whole = useRead('GET /v1/audit/{seq}', { params: { seq: String(seq) } })
  if (whole.data) return <Differences entry={whole.data} />
  if (whole.error) return <ErrorNote error={whole.error} retry={() => whole.refetch()} />
  return <Skeleton h={120} />
}

function Differences({ entry }: { entry: AuditEntry }) {
  const [before, after] = [asFields(entry.before), asFields(entry.after)]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  if (entry.erased) {
    return <Text size="sm">The personal values were erased; the entry itself stays.</Text>
  }
  if (names.length === 0) return <Text size="sm">No values were recorded with this.</Text>
  return (
    <Table aria-label="Values before and after" className="differences">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Field</Table.Th>
          <Table.Th>Before</Table.Th>
          <Table.Th>After</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {names.map(name => {
          const same = printValue(before[name]) === printValue(after[name])
          return (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Table.Td className={same ? 'faint' : 'bad'}>
                {spelt(printValue(before[name]))}
              </Table.Td>
              <Table.Td className={same ? 'faint' : 'good'}>
                {spelt(printValue(after[name]))}
              </Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}
