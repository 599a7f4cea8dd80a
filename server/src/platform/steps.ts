// The named moments at which a fault test ends the process. Without a watcher, as in every ordinary process, one costs
// a look at an empty variable.

/** In the order in which they are passed. A transaction is open between `begun` and `committed`. */
export const STEPS = [
  'ingest.begun',
  'ingest.locked',
  'ingest.scored',
  'ingest.written',
  'ingest.saved',
  'ingest.committed',
  'delivery.queued',
  'delivery.claiming',
  'delivery.leased',
  'delivery.claimed',
  'delivery.sending',
  'delivery.sent',
  'delivery.recording',
  'delivery.recorded',
  'recalculation.requested',
  'recalculation.claiming',
  'recalculation.claimed',
  'recalculation.selected',
  'recalculation.replayed',
  'recalculation.written',
  'recalculation.saved',
  'recalculation.committed',
  'recalculation.released',
  'decay.found',
  'decay.locked',
  'decay.advanced',
  'decay.written',
  'decay.committed',
] as const

export type StepName = (typeof STEPS)[number]

let watcher: ((name: StepName) => void) | undefined

export function step(name: StepName): void {
  watcher?.(name)
}

/** For fault tests alone: no setting leads here. */
export function watchSteps(watch: (name: StepName) => void): void {
  watcher = watch
}
