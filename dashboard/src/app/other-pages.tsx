// What is shown while a page loads, when it cannot be, and when there is none.
import { Button, Skeleton, Stack } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Page } from '../ui/page.tsx'
import { CallError, isReached, NOT_REACHED } from './call-api.ts'

export function WaitingPage() {
  return (
    <Stack gap="lg" aria-busy="true" aria-label="Loading">
      <Skeleton h={28} w={220} />
      <Skeleton h={120} />
      <Skeleton h={280} />
    </Stack>
  )
}

/** How browsers, and the builder, say that code did not come. */
const NOT_LOADED = /preload CSS|dynamically imported module|module script failed/i

/** A service that was away is looked for as often as everything that could not be read. */
const LOOK_MS = 30_000

/** Code that could not be loaded is asked for again only by a window that loads anew, once it can be. */
async function loadAnew(): Promise<void> {
  if (await isReached()) window.location.reload()
}

export function FailedPage({ error, reset }: ErrorComponentProps) {
  const again = error instanceof CallError ? reset : loadAnew
  const away = error instanceof Error && error.message === NOT_REACHED
  useEffect(() => {
    if (!away) return
    const looks = window.setInterval(loadAnew, LOOK_MS)
    window.addEventListener('online', loadAnew)
    return () => {
      window.clearInterval(looks)
      window.removeEventListener('online', loadAnew)
    }
  }, [away])
  const told =
    error instanceof Error && NOT_LOADED.test(error.message)
      ? 'the page could not be loaded from the server'
      : error
  return <ErrorNote error={told} retry={again} title="This page could not be shown" />
}

export function MissingPage() {
  return (
    <Page title="Not found" state="">
      <EmptyState
        icon="search"
        title="There is no such page"
        action={
          <Button component={Link} to="/" variant="default">
            To the overview
          </Button>
        }
      >
        The address may be mistyped, or what it pointed to is gone.
      </EmptyState>
    </Page>
  )
}
