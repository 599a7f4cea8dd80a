// What stands where a page of a list has no rows: the list's own words, or the way back to pages that have some.
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Pagination } from '../generated/api.ts'
import { EmptyState } from './empty-state.tsx'
import { count } from './numbers.ts'
import { lastBefore } from './past-end.ts'

type Props = {
  pagination: Pagination | undefined
  onPage: (page: number) => void
  /** What is said when the list itself is empty. */
  children: ReactNode
}

export function EmptyPage({ pagination, onPage, children }: Props) {
  const last = pagination && pagination.total > 0 ? lastBefore(pagination) : null
  if (!pagination || last === null) return children
  return (
    <EmptyState
      bare
      icon="search"
      title={`There is no page ${count(pagination.page)}`}
      action={
        <Button variant="default" onClick={() => onPage(last)}>
          To the last page
        </Button>
      }
    >
      {last === 1 ? 'The list has one page.' : `The list has ${count(last)} pages.`}
    </EmptyState>
  )
}
