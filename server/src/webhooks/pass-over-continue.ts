// HTTP bids a client pass over a `100 Continue` it did not ask for; our library would end the connection at one.
import type { Readable } from 'node:stream'

const CONTINUE = /^HTTP\/1\.[01] 100[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/
/** A longer one is not passed over. */
const MOST_BYTES = 1024

/** Takes it away where an answer begins, which is after a request was written; a body may hold such words. */
export function passOverContinue(socket: Readable & { readonly bytesWritten: number }): void {
  const read = socket.read.bind(socket)
  let answered = 0
  socket.read = size => {
    let chunk = read(size) as Buffer | null
    while (chunk !== null && socket.bytesWritten > answered) {
      const [interim] = CONTINUE.exec(chunk.toString('latin1', 0, MOST_BYTES)) ?? []
      if (interim === undefined) answered = socket.bytesWritten
      else chunk = chunk.length > interim.length ? chunk.subarray(interim.length) : read(size)
    }
    return chunk
  }
}
