// A receiver of webhooks for journeys: answers as it is told and keeps what it got.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterFile } from '../../server/test/after-file.ts'

export type Receiver = {
  url: string
  got: { path: string; headers: IncomingHttpHeaders; body: string }[]
  answer(status: number): void
}

export async function startReceiver(): Promise<Receiver> {
  const got: Receiver['got'] = []
  let status = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      got.push({ path: request.url!, headers: request.headers, body })
      response.writeHead(status).end(status === 200 ? 'thank you' : 'not today')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  afterFile(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    got,
    answer: next => {
      status = next
    },
  }
}
