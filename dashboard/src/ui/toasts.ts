// Short messages that say what happened and offer the way back or on.
import { lookAfter } from '../app/query-client.ts'
import { apart } from './sentence.ts'

export type Toast = {
  id: number
  text: string
  tone: 'good' | 'bad'
  request_id?: string
  action?: { label: string; run: () => void }
}

let toasts: readonly Toast[] = []
let last = 0
const listeners = new Set<() => void>()
const SHOWN_MS = 7_000
/** What can be undone is reached by keyboard too, from anywhere on the page. */
const OFFERED_MS = 20_000
const MOST = 4

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

export const toastStore = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  read: () => toasts,
}

export function dismissToast(id: number): void {
  change(toasts.filter(toast => toast.id !== id))
}

export function showToast(text: string, { action }: Pick<Toast, 'action'> = {}): void {
  const id = add({ text, tone: 'good', ...(action ? { action } : {}) })
  fade(id, action ? OFFERED_MS : SHOWN_MS)
}

/** Nothing goes away under the pointer or from under the keys. */
function fade(id: number, after: number): void {
  setTimeout(() => {
    const held = document.querySelector(`[data-toast="${id}"]`)?.matches(':hover, :focus-within')
    if (held) fade(id, 1_000)
    else dismissToast(id)
  }, after)
}

/** What the page in sight is called. */
export const pageInSight = (): string => document.title.replace(/ · Bellwether$/, '')

/**
 * Stays until it is dismissed: whoever is asked for help needs its id. An answer may come late: on another page than
 * the one where it was asked for, that one is named.
 */
export function showFailure(error: unknown, asked_on = pageInSight()): void {
  const words = error instanceof Error ? error.message : String(error)
  const text = asked_on === pageInSight() ? words : `On “${apart(asked_on)}”: ${words}`
  const { request_id } = error as { request_id?: string | null }
  add({ text, tone: 'bad', ...(request_id ? { request_id } : {}) })
  lookAfter(error)
}

function add(toast: Omit<Toast, 'id'>): number {
  const id = ++last
  const all = [...toasts, { id, ...toast }]
  // Where there is no room, a failure stays longer than good news.
  const oldest = all.find(({ tone }) => tone === 'good') ?? all[0]
  change(all.length > MOST ? all.filter(one => one !== oldest) : all)
  return id
}
