// Tells open dashboards that events have come in: one look a tenant every moment, however many are watching.
import type { Context } from '../platform/context.ts'
import { idFloor } from '../platform/ids.ts'
import { countArrivals } from './live.queries.ts'

export type Watcher = {
  /** A new latest event; a hint to look again, never the event itself. */
  changed(event_id: string): void
  /** Called every few seconds; false ends the watch. */
  stillAllowed(): Promise<boolean>
  end(): void
}

export type Followers = {
  watch(tenant_id: string, watcher: Watcher): () => void
  close(): void
}

const LOOK_EVERY_MS = 1_500
/** A session that has ended elsewhere is noticed within this many looks. */
const LOOKS_PER_CHECK = 6
/** A page is read before its line stands: what came in this long before is told too, seen or not. */
const READ_BEFORE_MS = 60_000
/** No event is committed later than this after its id was given: no transaction lasts longer. */
const UNDER_WAY_MS = 60_000

/** Each watcher with the latest event it was told of; and how many events the last look has seen from an id on. */
type Room = {
  watchers: Map<Watcher, string>
  looks: number
  asking: boolean
  timer: NodeJS.Timeout
  seen_from: string
  seen: number
}

export function followEvents(context: Context, look_every_ms = LOOK_EVERY_MS): Followers {
  const rooms = new Map<string, Room>()
  let closed = false

  async function look(tenant_id: string, room: Room): Promise<void> {
    const recent_from = idFloor('evt', context.clock.now() - UNDER_WAY_MS)
    const { latest, known, recent } = await context.db.inTenant(tenant_id, tx =>
      countArrivals(tx, tenant_id, room.seen_from, recent_from),
    )
    const isMore = known > room.seen
    Object.assign(room, { seen_from: recent_from, seen: recent })
    for (const [watcher, told] of room.watchers) {
      if (latest === null || (latest <= told && !isMore)) continue
      room.watchers.set(watcher, latest)
      watcher.changed(latest)
    }
    if (++room.looks % LOOKS_PER_CHECK === 0) dismiss(room).catch(noLook)
  }

  /** The database being away for a moment is no reason to end the watch. */
  const noLook = (error: unknown) => context.log.debug({ err: error }, 'no look')

  function lookAfter(wait_ms: number, tenant_id: string, room: Room): void {
    room.timer = setTimeout(async () => {
      await look(tenant_id, room).catch(noLook)
      if (rooms.get(tenant_id) === room) lookAfter(look_every_ms, tenant_id, room)
    }, wait_ms)
    room.timer.unref()
  }

  function openRoom(tenant_id: string): Room {
    const seen_from = idFloor('evt', context.clock.now() - UNDER_WAY_MS)
    const fresh = { watchers: new Map(), looks: 0, asking: false, seen_from, seen: Infinity }
    const room = fresh as unknown as Room
    rooms.set(tenant_id, room)
    lookAfter(0, tenant_id, room)
    return room
  }

  return {
    watch(tenant_id, watcher) {
      if (closed) {
        watcher.end()
        return () => {}
      }
      const room = rooms.get(tenant_id) ?? openRoom(tenant_id)
      room.watchers.set(watcher, idFloor('evt', context.clock.now() - READ_BEFORE_MS))
      return () => {
        room.watchers.delete(watcher)
        if (room.watchers.size > 0 || rooms.get(tenant_id) !== room) return
        clearTimeout(room.timer)
        rooms.delete(tenant_id)
      }
    },
    close() {
      closed = true
      const open = [...rooms.values()]
      rooms.clear()
      for (const room of open) {
        clearTimeout(room.timer)
        for (const watcher of [...room.watchers.keys()]) watcher.end()
      }
    },
  }
}

/** Beside the looks: of very many it takes long, and the others are told meanwhile. */
async function dismiss(room: Room): Promise<void> {
  if (room.asking) return
  room.asking = true
  try {
    for (const watcher of [...room.watchers.keys()]) {
      if (!(await watcher.stillAllowed())) watcher.end()
    }
  } finally {
    room.asking = false
  }
}
