// A receiver of webhooks in a process of its own: notes every arrival in a file before it answers, so that its own
// end loses nothing.
import { createHash } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const file = openSync(process.argv[2]!, 'a')

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    const hash = createHash('sha256').update(body).digest('base64url')
    const { 'x-service-delivery': id, 'x-service-event': kind } = request.headers
    const about = /"data":\{"id":"(\w+)"/.exec(body.toString('latin1'))?.[1] ?? '-'
    writeSync(file, `${Date.now()} ${id} ${kind} ${hash} ${about}\n`)
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
process.once('SIGTERM', () => process.exit(0))
process.once('disconnect', () => process.exit(0))
