// Requests sent together on one connection are served one after the other, each in a turn of the event loop of its own:
// served as they are read, hundreds of them would be one piece of work, for which everybody else waits.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

type Socket = IncomingMessage['socket']
type Exchange = [request: IncomingMessage, response: ServerResponse]

export function answerInTurn(serve: RequestListener): RequestListener {
  /** Behind the one that is being served; a connection that serves none has no list. */
  const waiting = new WeakMap<Socket, Exchange[]>()

  function begin(socket: Socket, [request, response]: Exchange): void {
    // Emitted when the answer has been handed over, and when the connection is gone.
    response.once('close', () => {
      if (waiting.get(socket)?.length === 0) waiting.delete(socket)
      else setImmediate(next, socket)
    })
    serve(request, response)
  }

  function next(socket: Socket): void {
    const queue = waiting.get(socket)!
    const exchange = queue.shift()!
    // What stands behind an answer that closes the connection is not served.
    if (!socket.writable) return
    if (queue.length === 0) socket.resume()
    begin(socket, exchange)
  }

  function pauseIfAnyWait(socket: Socket): void {
    if (waiting.get(socket)?.length) socket.pause()
  }

  return (request, response) => {
    const { socket } = request
    const queue = waiting.get(socket)
    if (!queue) {
      waiting.set(socket, [])
      return begin(socket, [request, response])
    }
    queue.push([request, response])
    // No more is read than what has come; the end of this request, which is parsed next, would begin to read again.
    process.nextTick(pauseIfAnyWait, socket)
  }
}
