// Whether something is being saved: a page may be left meanwhile without being asked.
import { useState } from 'react'

export function useSaving() {
  const [saving, setSaving] = useState(false)
  const whileSaving = (work: Promise<unknown>): Promise<unknown> => {
    setSaving(true)
    return work.finally(() => setSaving(false))
  }
  return [saving, whileSaving] as const
}
