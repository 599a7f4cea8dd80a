// Short messages that say what happened and offer the way back or on.

export type Toast = {
  id: number
  text: string
  tone: 'good' | 'bad'
  action?: { label: string; run: () => void }
}

let toasts: readonly Toast[] = []
let last = 0
const listeners = new Set<() => void>()
const SHOWN_MS = 7_000

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

export function showToast(
  text: string,
  { tone = 'good', action }: { tone?: Toast['tone']; action?: Toast['action'] } = {},
): void {
  const id = ++last
  change([...toasts.slice(-3), { id, text, tone, ...(action ? { action } : {}) }])
  setTimeout(() => dismissToast(id), SHOWN_MS)
}

export function showFailure(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  const id = (error as { request_id?: string | null }).request_id
  showToast(id ? `${message} (${id})` : message, { tone: 'bad' })
}
