// A list that was read stays in sight when a later look at it fails; what went wrong stands above it.
import type { ReactNode } from 'react'
import { ErrorNote } from './error-note.tsx'

type Props = {
  read: { data: unknown; error: Error | null; refetch: () => unknown }
  children: ReactNode
}

export function KeptList({ read, children }: Props) {
  const { data, error, refetch } = read
  return (
    <>
      {error && <ErrorNote error={error} retry={() => refetch()} />}
      {(!error || data !== undefined) && children}
    </>
  )
}
