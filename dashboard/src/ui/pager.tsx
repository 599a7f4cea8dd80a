// The foot of a list: where one is in it, and the way to the other pages.
import { Group, Pagination, Text, useMatches } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Pagination as PageInfo } from '../generated/api.ts'
import { count, plural } from './numbers.ts'
import { lastBefore } from './past-end.ts'

type Props = {
  pagination: PageInfo | undefined
  onPage: (page: number) => void
  what: readonly [one: string, many: string]
  /** What can be done with the list as a whole. */
  children?: ReactNode
}

export function Pager({ pagination, onPage, what, children }: Props) {
  const size = useMatches({ base: 'xs', sm: 'sm' })
  if (!pagination || pagination.total === 0) return null
  const { page, per_page, total, total_pages } = pagination
  const first = Math.min((page - 1) * per_page + 1, total)
  const last = Math.min(page * per_page, total)
  return (
    <Group justify="space-between" px="lg" py="md" gap="sm">
      <Group gap="sm">
        <Text size="sm" c="dimmed" className="number">
          {lastBefore(pagination) === null && `${sayRows(first, last)} of `}
          {plural(total, ...what)}
        </Text>
        {children}
      </Group>
      {total_pages > 1 && (
        <Pagination
          size={size}
          gap={4}
          total={total_pages}
          value={page}
          onChange={onPage}
          siblings={1}
          getControlProps={control => ({ 'aria-label': `${control} page` })}
          getItemProps={item => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  )
}

const sayRows = (first: number, last: number): string =>
  first === last ? count(first) : `${count(first)}–${count(last)}`
