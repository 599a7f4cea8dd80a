// What the receiver noted: which deliveries came, how often, and which fault explains each further copy. Pure.

export type Arrival = { at: number; id: string; kind: string; hash: string; about: string }

export function readArrivals(text: string): Arrival[] {
  return text
    .split('\n')
    .map(line => line.split(' '))
    .filter(parts => parts.length === 5)
    .map(([at, id, kind, hash, about]) => {
      return { at: Number(at), id: id!, kind: kind!, hash: hash!, about: about! }
    })
}

/** A disturbance and what was in flight when it began. */
export type Window = { name: string; began: number; ended: number; leased: number }

export type Copies = {
  /** By window: how many further copies it explains, and how many there may be. */
  explained: { name: string; copies: number; in_flight: number }[]
  faults: string[]
}

/** A message is sent and recorded within this time when nothing is wrong. */
const RECORDED_MS = 3_500
/** What was under way when a disturbance ended is noted by the receiver within this time. */
const NOTED_MS = 1_000

/**
 * A further copy belongs to the disturbance in which the one before it arrived, or to the first that began soon
 * after: its sender had not recorded it yet. In flight is what was leased at the start and what came until the end.
 */
export function judgeCopies(arrivals: readonly Arrival[], told: readonly Window[]): Copies {
  const faults: string[] = []
  const windows = told.toSorted((a, b) => a.began - b.began)
  const copies = windows.map(() => 0)
  const last = new Map<string, Arrival>()
  const ordered = [...arrivals].sort((a, b) => a.at - b.at)
  for (const arrival of ordered) {
    const before = last.get(arrival.id)
    last.set(arrival.id, arrival)
    if (!before) continue
    if (before.hash !== arrival.hash) faults.push(`${arrival.id} came again with other bytes`)
    const place = windows.findIndex(
      one => before.at <= one.ended + NOTED_MS && arrival.at >= one.began,
    )
    const window = windows[place]
    if (!window || before.at < window.began - RECORDED_MS) {
      faults.push(`${arrival.id} came again ${arrival.at - before.at} ms later without a fault`)
    } else copies[place]! += 1
  }
  const explained = windows.map(({ name, began, ended, leased }, i) => {
    const came = ordered.filter(one => one.at >= began && one.at <= ended + NOTED_MS)
    const in_flight = leased + new Set(came.map(one => one.id)).size
    if (copies[i]! > in_flight) {
      faults.push(`${name}: ${copies[i]} further copies, ${in_flight} were in flight`)
    }
    return { name, copies: copies[i]!, in_flight }
  })
  return { explained, faults }
}
