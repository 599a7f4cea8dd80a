// A receiver of webhooks in a process of its own: answers 200 at once and remembers what came when.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** By the number a message carries: when it came first. */
let received = new Map<number, number>()
let [repeated, unsigned] = [0, 0]
/** Messages to /late that were refused once. */
const failed = new Set<number>()

function answer(path: string, response: ServerResponse): void {
  if (path === '/reset') {
    received = new Map()
    repeated = 0
    unsigned = 0
  }
  const times = path === '/times' ? [...received] : []
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ count: received.size, repeated, unsigned, times }))
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return answer(request.url ?? '', response)
  let body = ''
  request.setEncoding('latin1')
  request.on('data', chunk => {
    body += chunk
  })
  request.on('end', () => {
    const n = Number(/"n":(\d+)/.exec(body)?.[1])
    if (request.url === '/late' && !failed.has(n)) {
      failed.add(n)
      response.statusCode = 503
      return void response.end()
    }
    if (received.has(n)) repeated++
    else received.set(n, performance.timeOrigin + performance.now())
    if (!/^sha256=[0-9a-f]{64}$/.test(String(request.headers['x-service-signature']))) unsigned++
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit(0))
