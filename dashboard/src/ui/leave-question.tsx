// Asks before a page is left with which something would be lost.
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { ConfirmByName } from './confirm-by-name.tsx'
import { type Stake, UNSAVED, useStakes } from './use-stay-here.ts'

export function LeaveQuestion() {
  const stakes = useStakes()
  const none = stakes.length === 0
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next, action }) =>
      current.pathname !== next.pathname || (action !== 'REPLACE' && stakes.some(isInDialog)),
    enableBeforeUnload: !none,
    disabled: none,
    withResolver: true,
  })
  // The words stay the same while the question fades away.
  const last = stakes.at(-1)
  const [{ title, action, words }, setStake] = useState(UNSAVED)
  if (last && last.title !== title) setStake(last)
  return (
    <ConfirmByName
      opened={leaving.status === 'blocked'}
      title={title}
      name={null}
      action={action}
      onClose={() => leaving.reset?.()}
      onConfirm={async () => leaving.proceed?.()}
    >
      {words}
    </ConfirmByName>
  )
}

const isInDialog = ({ within }: Stake): boolean => within === 'dialog'
