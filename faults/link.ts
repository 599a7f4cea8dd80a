// A wire between two parts that can be cut, reset, slowed down or taken away: a small TCP proxy on loopback.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A port on loopback, or the path of a unix socket. */
export type Place = number | string

export type Link = {
  readonly port: number
  /** Closes every connection in good order, and for a while each new one at once. */
  finish(ms: number): Promise<void>
  /** Resets every connection, and for a while each new one at once. */
  reset(ms: number): Promise<void>
  /** Holds every byte back for so long, in both directions. */
  slow(latency_ms: number): void
  /** Nobody is there: connections are reset and new ones refused. */
  leave(): void
  comeBack(): Promise<void>
  close(): void
}

type Pair = { near: Socket; far: Socket }
type End = (socket: Socket) => void

const HALF_MS = 1_000

const endCleanly: End = socket => socket.end()
/** A unix socket knows no reset. */
const resetAtOnce: End = socket => {
  if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

/** `place` is asked for each connection, as a process that was started anew is somewhere else. */
export async function openLink(place: () => Place): Promise<Link> {
  const pairs = new Set<Pair>()
  let latency_ms = 0
  let refusal: End | null = null

  const server = createServer({ allowHalfOpen: true }, near => {
    near.on('error', () => {})
    if (refusal) {
      refusal(near)
      // Whoever does not end its half is not waited for.
      setTimeout(() => near.destroy(), HALF_MS).unref()
      return
    }
    const to = place()
    const far = typeof to === 'string' ? connect(to) : connect(to, '127.0.0.1')
    const pair = { near, far }
    pairs.add(pair)
    for (const socket of [near, far]) socket.setNoDelay(true)
    carry(near, far, () => latency_ms)
    carry(far, near, () => latency_ms)
    far.on('error', () => resetAtOnce(near))
    near.on('error', () => far.destroy())
    for (const socket of [near, far]) {
      socket.on('close', () => {
        if (near.destroyed && far.destroyed) pairs.delete(pair)
      })
    }
    near.on('close', () => far.destroy())
  })
  const port = await listen(server, 0)

  function endAll(end: End): void {
    for (const { near, far } of pairs) {
      end(near)
      end(far)
    }
  }

  async function refuse(end: End, ms: number): Promise<void> {
    refusal = end
    endAll(end)
    await new Promise(resolve => setTimeout(resolve, ms))
    refusal = null
    // Whoever still waits for the other half of a clean end waits no longer.
    for (const { near, far } of pairs) if (near.writableEnded || far.writableEnded) near.destroy()
  }

  return {
    port,
    finish: ms => refuse(endCleanly, ms),
    reset: ms => refuse(resetAtOnce, ms),
    slow: ms => {
      latency_ms = ms
    },
    leave: () => {
      // From here on nobody is let in; that the last one has gone is not waited for.
      server.close()
      endAll(resetAtOnce)
    },
    comeBack: async () => {
      await listen(server, port)
    },
    close: () => {
      server.close()
      endAll(socket => socket.destroy())
    },
  }
}

/** Bytes keep their order, also when the latency changes meanwhile or a timer is late. */
function carry(from: Socket, to: Socket, latency: () => number): void {
  const held: { at: number; act: () => void }[] = []
  let timer: NodeJS.Timeout | null = null
  const release = () => {
    timer = null
    while (held.length > 0 && held[0]!.at <= performance.now()) held.shift()!.act()
    if (held.length > 0) timer = setTimeout(release, Math.max(0, held[0]!.at - performance.now()))
  }
  const later = (act: () => void) => {
    held.push({ at: performance.now() + latency(), act })
    if (timer === null) release()
  }
  from.on('data', chunk =>
    later(() => {
      if (to.writable && !to.write(chunk)) from.pause()
    }),
  )
  to.on('drain', () => from.resume())
  from.on('end', () => later(() => to.end()))
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}
