// How long a request may have to wait for those before it until the next is better told at once to come again.
import { MOST_WAIT_MS } from '../platform/fair-gate.ts'

/** About what an event of a large request takes where the machine is slow. */
const MS_EACH = 1

/** Small requests go together, so their number hardly counts; behind large ones one waits for each of them. */
export function patience(large_events: number): number {
  return MOST_WAIT_MS + MS_EACH * large_events
}
