// The life of a process that stays: how it starts, what it needs, and how it ends.
import { watchSignals } from './drain.ts'

export type Life = {
  readonly ending: AbortSignal
  /** Ends the process in good order. */
  end(): void
  /** Invariant: what was opened is closed in reverse order, also when the start or another closing fails. */
  atEnd(close: () => Promise<unknown>): void
  /** Work in the background; where it fails, the process ends with its fault. */
  need(work: Promise<unknown>): void
}

/** Starts, waits until the end is asked for or something fails, and closes what was opened. */
export async function stay(start: (life: Life) => Promise<void>): Promise<void> {
  const { signal, requested, request } = watchSignals()
  const closers: (() => Promise<unknown>)[] = []
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => {})
  const faults: unknown[] = []
  let isStarted = false
  const note = (fault: unknown) => void faults.push(fault)
  const life: Life = {
    ending: signal,
    end: request,
    atEnd: close => closers.unshift(close),
    need: work => void work.catch(broken.reject),
  }
  try {
    await start(life)
    isStarted = true
    await Promise.race([requested, broken.promise])
  } catch (fault) {
    // A terminal sends its signal to our children too: what they then left undone is no fault.
    if (!signal.aborted || isStarted) note(fault)
  }
  for (const close of closers) await close().catch(note)
  if (faults.length > 0) throw faults[0]
}
