// The driver sends a statement at the end of the turn in which it is asked for; work begun before that would keep it
// waiting.
import { setImmediate } from 'node:timers/promises'

/** After this the statement asked for last is on its way: the database works on it while we do something else. */
export async function letSend(): Promise<void> {
  await setImmediate()
}
