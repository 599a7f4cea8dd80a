// In place of a page whose subject is not read: where one is, why, and the way back.
import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Page } from './page.tsx'

type Props = {
  title: string
  back: ReactNode
  /** Why it could not be read; null while it is. */
  note: ReactNode
}

export function UnreadPage({ title, back, note }: Props) {
  if (!note) return <Skeleton h={320} />
  return (
    <Page title={title} state="" above={back}>
      {note}
    </Page>
  )
}
