// What a list says whose filters leave nothing of it, with the way back to all of it.
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { EmptyState } from './empty-state.tsx'

type Props = {
  title: string
  all: { to: '/actions' | '/audit' | '/employees' | '/events'; label: string }
  /** What to try instead. */
  children: ReactNode
}

export function NothingFits({ title, all, children }: Props) {
  return (
    <EmptyState
      bare
      icon="search"
      title={title}
      action={
        <Button component={Link} to={all.to} variant="default">
          {all.label}
        </Button>
      }
    >
      {children}
    </EmptyState>
  )
}
