// A press that asks the server for something: busy meanwhile, told in a toast when done or refused.
import { useState } from 'react'
import { pageInSight, showFailure, showToast } from './toasts.ts'

type Work = (task: () => Promise<unknown>, done?: string) => Promise<void>

export function useWork(): [busy: boolean, run: Work] {
  const [busy, setBusy] = useState(false)
  const run: Work = async (task, done) => {
    const asked_on = pageInSight()
    setBusy(true)
    try {
      await task()
      if (done) showToast(done)
    } catch (error) {
      showFailure(error, asked_on)
    } finally {
      setBusy(false)
    }
  }
  return [busy, run]
}
