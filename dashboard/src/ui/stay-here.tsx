// Asks before a page is left with which something would be lost; another filter on the same page is no leaving.
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ConfirmByName } from './confirm-by-name.tsx'

type Props = {
  /** Whether there is anything to lose. */
  when: boolean
  title: string
  action: string
  onLeave?: () => void
  children: ReactNode
}

export function StayHere({ when, title, action, onLeave, children }: Props) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: when,
    disabled: !when,
    withResolver: true,
  })
  return (
    <ConfirmByName
      opened={leaving.status === 'blocked'}
      title={title}
      name={null}
      action={action}
      onClose={() => leaving.reset?.()}
      onConfirm={async () => {
        onLeave?.()
        leaving.proceed?.()
      }}
    >
      {children}
    </ConfirmByName>
  )
}
