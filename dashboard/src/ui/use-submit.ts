// Sends what a form holds, once at a time; what went wrong is shown there, or in a toast when the form is gone by then.
import { useEffect, useRef, useState } from 'react'
import { lookAfter } from '../app/query-client.ts'
import { useHold, useOpened } from './dialog.tsx'
import { pageInSight, showFailure } from './toasts.ts'

export function useSubmit(task: () => Promise<unknown>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const running = useRef(false)
  const gone = useRef(false)
  useHold(busy)
  // A dialog that fades away shows nothing that anybody could still read.
  const opened = useOpened()
  useEffect(() => {
    gone.current = !opened
    return () => {
      gone.current = true
    }
  }, [opened])
  const submit = async () => {
    if (running.current) return
    running.current = true
    const asked_on = pageInSight()
    setBusy(true)
    setError(null)
    try {
      await task()
    } catch (failure) {
      if (gone.current) showFailure(failure, asked_on)
      else {
        setError(failure)
        // What it was about may turn out to be gone, and the form with it once that is drawn.
        const tellGone = () => gone.current && showFailure(failure, asked_on)
        lookAfter(failure).then(() => setTimeout(tellGone))
      }
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return { busy, error, submit }
}
