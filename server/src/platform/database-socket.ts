// The connections of the driver, made so that neither a peer that closes early nor one that vanishes is waited for.
import { connect, type Socket } from 'node:net'

type Place = { path: string | null; host: string[]; port: number[] }
let dialled = 0

/**
 * The driver waits for ever on a peer that closes cleanly while starting up; make that an error.
 * Invariant: the socket is handed over before it is connected. Where this fails or waits instead, the driver
 * counts the connection as being made for ever, and after an outage none is left.
 */
export function openSocket(silence_ms: number | null): (place: Place) => Socket {
  return ({ path, host, port }) => {
    const turn = dialled++ % host.length
    const socket = path ? connect(path) : connect(port[turn]!, host[turn])
    socket.setKeepAlive(true, 60_000)
    let heard = false
    socket.once('data', () => {
      heard = true
    })
    socket.once('end', () => {
      if (!heard) socket.destroy(Object.assign(new Error('closed early'), { code: 'EARLY_END' }))
    })
    const watch = (one: Socket) => {
      if (silence_ms !== null) leaveTheSilent(one, silence_ms)
    }
    watch(socket)
    // `host` is the name that a certificate is checked against; `onsecure` is called by the mended driver.
    return Object.assign(socket, { host: host[turn], onsecure: watch })
  }
}

/**
 * A host that is gone without a word answers nothing, and the system tries for a quarter of an hour. Only a
 * connection that was asked something is silent; one that rests is not.
 */
function leaveTheSilent(socket: Socket, silence_ms: number): void {
  let answered = 0
  socket.on('data', () => {
    answered = socket.bytesWritten
  })
  const leave = () => {
    if (socket.bytesWritten === answered) return
    socket.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }))
  }
  // After a pause of this process an answer may be there that was not read yet; it is before the next turn.
  socket.setTimeout(silence_ms, () => setImmediate(leave))
}
