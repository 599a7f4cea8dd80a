// The frame of a page: its title, one sentence of state, what can be done, then the work.
import { Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

type PageProps = {
  title: string
  /** Undefined while it is looked for. */
  state?: ReactNode
  actions?: ReactNode
  above?: ReactNode
  /** Its state also changes by itself as events come in; that is not read out. */
  live?: boolean
  children: ReactNode
}

export function Page({ title, state, actions, above, live = false, children }: PageProps) {
  // What a search or a filter led to is read out; a state that is more than words tells of time going by.
  const told = live || typeof state === 'object' ? {} : { role: 'status' }
  useEffect(() => {
    document.title = `${title} · Bellwether`
  }, [title])
  return (
    <Stack gap="lg" component="section">
      <div>
        {above}
        <Group justify="space-between" align="flex-end" gap="xs">
          <div className="page-head">
            <Title order={1}>{title}</Title>
            <Text c="dimmed" component="div" className="page-state" {...told}>
              {state ?? <Skeleton h={16} w={280} maw="100%" mt={6} />}
            </Text>
          </div>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      </div>
      {children}
    </Stack>
  )
}

/** Words about what was read; none where it could not be, and room for them while it is looked for. */
export function tellState<T>(
  { data, error }: { data: T | undefined; error: Error | null },
  say: (data: T) => ReactNode,
): ReactNode {
  return data !== undefined ? say(data) : error ? '' : undefined
}

type CardProps = {
  title: ReactNode
  about?: ReactNode
  action?: ReactNode
  children: ReactNode
  flush?: boolean
}

export function Card({ title, about, action, children, flush = false }: CardProps) {
  return (
    <Paper component="section" p={flush ? 0 : 'lg'} className={flush ? 'card card-flush' : 'card'}>
      <Group
        justify="space-between"
        align="flex-start"
        mb="sm"
        gap="xs"
        {...(flush ? { px: 'lg', pt: 'lg' } : {})}
      >
        <div>
          <Title order={2}>{title}</Title>
          {about && (
            <Text size="sm" c="dimmed" component="div">
              {about}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </Paper>
  )
}
