// What went wrong, in words, with the request's id to copy for whoever is asked for help.
import { Alert, Button, Group, List, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { CallError, isLost } from '../app/call-api.ts'
import { CopyValue } from './copy-value.tsx'
import { Icon } from './icons.tsx'
import { sentence } from './sentence.ts'

/** The API's name of a field, and how the form calls it. */
export type FieldLabels = Readonly<Record<string, string>>

type Props = { error: unknown; retry?: () => void; title?: string; labels?: FieldLabels }

export function ErrorNote({ error, retry, title = headOf(error), labels = {} }: Props) {
  return (
    <Alert
      color="red"
      variant="light"
      radius="lg"
      role="alert"
      title={title}
      icon={<Icon name="warning" />}
    >
      <Words error={error} labels={labels} />
      <Group gap="sm" mt="xs">
        {retry && !isGone(error) && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
        {error instanceof CallError && error.request_id && <RequestId id={error.request_id} />}
      </Group>
    </Alert>
  )
}

/** What is not there will not be there when it is asked for again. */
const isGone = (error: unknown): boolean => error instanceof CallError && error.status === 404

function headOf(error: unknown): string {
  if (isLost(error)) return 'It is not known whether this worked'
  return isGone(error) ? 'This is not there' : 'This did not work'
}

/** What is wrong with the fields; of other refusals the message alone is for people. */
export function faultsOf(error: unknown): CallError['faults'] {
  return error instanceof CallError && error.code === 'VALIDATION_ERROR' ? error.faults : []
}

/** A fault that stands at its field is only pointed to; the others are told here. */
function Words({ error, labels }: { error: unknown; labels: FieldLabels }) {
  const faults = faultsOf(error)
  if (faults.length === 0) {
    return <Text size="sm">{sentence(error instanceof Error ? error.message : String(error))}</Text>
  }
  const marked = faults.flatMap(({ path }) => labels[path] ?? [])
  const others = faults.filter(({ path }) => labels[path] === undefined)
  return (
    <>
      {marked.length > 0 && <Text size="sm">Look at “{[...new Set(marked)].join('”, “')}”.</Text>}
      {others.length > 0 && (
        <List size="sm">
          {others.map(({ path, message }) => (
            <List.Item key={path + message}>
              <b>{path}</b> {message}
            </List.Item>
          ))}
        </List>
      )}
    </>
  )
}

/** The note below a form, brought into sight: the form may be longer than the window. */
export function Refusal({ error, labels = {} }: Pick<Props, 'error' | 'labels'>) {
  const note = useRef<HTMLDivElement>(null)
  useEffect(() => {
    note.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={note}>
      <ErrorNote error={error} labels={labels} />
    </div>
  )
}

export function RequestId({ id }: { id: string }) {
  return (
    <Text size="xs" component="span">
      Request <CopyValue value={id} what="request id" />
    </Text>
  )
}
