// What stands in place of a page that is for other roles: who can help, and the way back.
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { EmptyState } from './empty-state.tsx'
import type { IconName } from './icons.tsx'
import { Page } from './page.tsx'

type Props = {
  /** The title of the page that is not shown. */
  page: string
  icon: IconName
  title: string
  /** Who can, or how one may oneself. */
  children: ReactNode
  back: { to: '/' | '/employees' | '/events' | '/rules'; label: string }
}

export function MayNot({ page, icon, title, children, back }: Props) {
  return (
    <Page title={page} state="">
      <EmptyState
        icon={icon}
        title={title}
        action={
          <Button component={Link} to={back.to} variant="default">
            {back.label}
          </Button>
        }
      >
        {children}
      </EmptyState>
    </Page>
  )
}
