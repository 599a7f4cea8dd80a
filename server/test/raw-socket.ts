// Bytes over a real socket, for what no HTTP client would send.
import { type AddressInfo, connect } from 'node:net'
import type { App } from '../src/app.ts'
import { PATIENCE_MS } from './patience.ts'

export async function portOf({ server }: Pick<App, 'server'>): Promise<number> {
  if (!server.server.listening) await server.listen({ port: 0, host: '127.0.0.1' })
  return (server.server.address() as AddressInfo).port
}

export type RawAnswer = { text: string; statuses: number[]; closed: boolean }

/**
 * Sends the bytes, then ends its own side when `quiet_ms` pass without an answer more, and tells all that came back
 * and whether the other side had closed by itself. Who is to close by itself is given PATIENCE_MS.
 */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  quiet_ms = 1_000,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = ''
    let closed = true
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const end = () => {
      closed = false
      socket.destroy()
    }
    let quiet: NodeJS.Timeout | undefined
    const patience = setTimeout(() => socket.destroy(new Error('no answer')), PATIENCE_MS)
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      clearTimeout(quiet)
      quiet = setTimeout(end, quiet_ms)
    })
    socket.on('error', error => {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') reject(error)
    })
    socket.on('close', () => {
      clearTimeout(quiet)
      clearTimeout(patience)
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(match => Number(match[1]))
      resolve({ text, statuses, closed })
    })
  })
}
