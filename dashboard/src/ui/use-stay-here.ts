// What would be lost if the page were left now: forms and long work say so, and one question is asked for all of it.
import { useEffect, useSyncExternalStore } from 'react'

export type Stake = {
  title: string
  action: string
  words: string
  /** Another filter or tab of the same page takes a dialog away, and leaves a form of the page in its place. */
  within: 'page' | 'dialog'
}

export const UNSAVED: Stake = {
  title: 'Leave without saving?',
  action: 'Leave',
  words: 'What you have typed or changed here is lost.',
  within: 'page',
}

export const TYPED: Stake = { ...UNSAVED, within: 'dialog' }

let stakes: readonly Stake[] = []
const hearers = new Set<() => void>()

function put(next: readonly Stake[]): void {
  stakes = next
  for (const hear of hearers) hear()
}

function listen(hear: () => void): () => void {
  hearers.add(hear)
  return () => hearers.delete(hear)
}

/** While `when` holds, whoever wants to leave is asked first. */
export function useStayHere(when: boolean, stake: Stake = UNSAVED): void {
  useEffect(() => {
    if (!when) return
    const own = { ...stake }
    put([...stakes, own])
    return () => put(stakes.filter(one => one !== own))
  }, [when, stake])
}

export function useStakes(): readonly Stake[] {
  return useSyncExternalStore(listen, () => stakes)
}
