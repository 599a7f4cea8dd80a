// Receivers that behave badly: the slot is free at the deadline and the log says at which stage it failed.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { SELF_SIGNED } from '../../test/self-signed.ts'
import { startService } from '../../test/service.ts'
import { type EngineOptions, runDueDeliveries } from './deliver-webhooks.job.ts'
import {
  LOOPBACK,
  message,
  startRawReceiver,
  startReceiver,
  status,
  tell,
} from './receiver.fixture.ts'
import { DEADLINES } from './send-request.ts'

const { context, clock, tenant } = await startService(LOOPBACK)
const acme = await tenant()

const MOST_BODY = 64 * 1024
/** Deadlines short enough to wait for. */
const SHORT = { connect_ms: 800, total_ms: 1_000 }

/** Sends one message there and returns the log of its first attempt. */
async function attempt(url: string, options: EngineOptions = {}) {
  const hook = await acme.call('POST', '/v1/webhooks', { url, events: ['score.updated'] })
  await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
  await runDueDeliveries(context, { random: () => 0, ...options })
  const { body } = await acme.call('GET', `/v1/webhooks/${hook.body.id}/deliveries`)
  const detail = await acme.call('GET', `/v1/webhooks/deliveries/${body.data[0].id}`)
  await acme.call('DELETE', `/v1/webhooks/${hook.body.id}`)
  expect(detail.body.attempt_log).toHaveLength(1)
  return {
    ...detail.body.attempt_log[0],
    status: detail.body.status,
    last_error: detail.body.last_error,
  }
}

const HEAD = 'HTTP/1.1 200 OK\r\n'

describe('at the deadline', () => {
  test('which is 3 s to connect and 10 s in all', () => {
    expect(DEADLINES).toEqual({ connect_ms: 3_000, total_ms: 10_000 })
  })

  test('one that never answers', async () => {
    const { url } = await startRawReceiver(() => {})
    const logged = await attempt(url, { deadlines: SHORT })
    expect(logged).toMatchObject({ status: 'retrying', stage: 'headers', response: null })
    expect(logged.last_error).toBe(`headers: no answer in ${SHORT.total_ms} ms`)
    expect(logged.timings.total_ms).toBeGreaterThanOrEqual(SHORT.total_ms - 5)
  })

  test('one that answers too slowly', async () => {
    const late: ServerResponse[] = []
    const { url } = await startReceiver(response => void late.push(response))
    const logged = await attempt(url, { deadlines: SHORT })
    for (const response of late) response.end('late')
    expect(logged).toMatchObject({ status: 'retrying', stage: 'headers' })
  })

  test('one that sends half a header', async () => {
    const { url } = await startRawReceiver(socket => {
      socket.once('data', () => socket.write(`${HEAD}Content-Ty`))
    })
    expect(await attempt(url, { deadlines: SHORT })).toMatchObject({
      status: 'retrying',
      stage: 'headers',
      response: null,
    })
  })

  test('one that drips headers without end', async () => {
    const { url } = await startRawReceiver(socket => {
      socket.once('data', () => {
        socket.write(HEAD)
        const drip = setInterval(() => socket.write(`x-${Math.random()}: 1\r\n`), 20)
        socket.once('close', () => clearInterval(drip))
      })
    })
    expect(await attempt(url, { deadlines: SHORT })).toMatchObject({
      status: 'retrying',
      stage: 'headers',
    })
  })

  test('one whose body drips without end', async () => {
    const { url } = await startReceiver(response => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(drip))
    })
    // A machine that stands still for all of that time sees no headers either, and tries again.
    let logged = await attempt(url, { deadlines: SHORT })
    while (logged.stage === 'headers') logged = await attempt(url, { deadlines: SHORT })
    expect(logged).toMatchObject({ status: 'retrying', stage: 'body' })
    expect(logged.response).toMatchObject({ status: 200 })
    expect(logged.last_error).toBe(`body: the answer has not ended in ${SHORT.total_ms} ms`)
  })

  test('one that accepts no connection', async () => {
    const resolve = () => new Promise<never>(() => {})
    const logged = await attempt('http://hooks.example:9/', { deadlines: SHORT, resolve })
    expect(logged).toMatchObject({ status: 'retrying', stage: 'dns', response: null })
    expect(logged.last_error).toBe(`dns: no connection in ${SHORT.connect_ms} ms`)
  })
})

describe('cut short', () => {
  test('an endless body is read up to 64 KiB; the status counts', async () => {
    const { url } = await startReceiver(response => {
      response.writeHead(200)
      const flood = () => {
        while (response.write('x'.repeat(16_384)));
        response.once('drain', flood)
      }
      flood()
    })
    const logged = await attempt(url)
    expect(logged).toMatchObject({ status: 'delivered', error: null })
    expect(logged.response).toMatchObject({ status: 200, truncated: true })
    expect(logged.response.body).toHaveLength(MOST_BODY)
  })

  test('a gzip bomb is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
    const { url } = await startReceiver(response => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    const logged = await attempt(url)
    expect(logged).toMatchObject({ status: 'delivered' })
    expect(logged.response).toMatchObject({ encoding: 'base64' })
    expect(Buffer.from(logged.response.body, 'base64').length).toBeLessThanOrEqual(MOST_BODY)
  })

  test('headers without measure are refused', async () => {
    const { url } = await startRawReceiver(socket => {
      socket.once('data', () => socket.write(`${HEAD}x: ${'y'.repeat(100_000)}\r\n\r\n`))
    })
    expect(await attempt(url)).toMatchObject({ status: 'retrying', stage: 'headers' })
  })
})

describe('broken', () => {
  test('a connection reset', async () => {
    const { url } = await startRawReceiver(
      socket => void socket.once('data', () => socket.resetAndDestroy()),
    )
    const logged = await attempt(url)
    expect(logged).toMatchObject({ status: 'retrying', stage: 'headers', response: null })
    expect(logged.last_error).toMatch(/^headers: connection/)
  })

  test('a connection closed in the middle of the body', async () => {
    const { url } = await startRawReceiver(socket => {
      socket.once('data', () => socket.end(`${HEAD}Content-Length: 100\r\n\r\nhalf`))
    })
    expect(await attempt(url)).toMatchObject({ status: 'retrying', stage: 'body' })
  })

  test('a refused connection', async () => {
    const logged = await attempt('http://127.0.0.1:9/')
    expect(logged).toMatchObject({ status: 'retrying', stage: 'connect' })
    expect(logged.last_error).toBe('connect: connection refused')
  })

  test('broken TLS', async () => {
    const { url } = await startRawReceiver(socket => {
      socket.once('data', () => socket.write('this is not TLS at all, sorry\r\n'))
    })
    const logged = await attempt(url.replace('http:', 'https:'))
    expect(logged).toMatchObject({ status: 'retrying', stage: 'tls', response: null })
    // The reason alone, without the library's thread, source file and line.
    expect(logged.last_error).toBe('tls: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)')
  })

  test('a certificate that nobody vouches for: nothing is sent', async () => {
    const heard: string[] = []
    const { url } = await startRawReceiver(socket => {
      const secured = new TLSSocket(socket, { isServer: true, ...SELF_SIGNED })
      secured.on('error', () => {}).on('data', bytes => void heard.push(bytes.toString()))
    })
    const logged = await attempt(url.replace('http:', 'https:'))
    expect(logged).toMatchObject({ status: 'retrying', stage: 'tls', response: null })
    expect(logged.last_error).toBe('tls: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)')
    expect(heard).toEqual([])
  })

  test('TLS 1.1', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' } as const
    const weak = { ...SELF_SIGNED, ...old, ciphers: 'DEFAULT@SECLEVEL=0' }
    const { url } = await startRawReceiver(socket => {
      const secureContext = createSecureContext(weak)
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {})
    })
    const logged = await attempt(url.replace('http:', 'https:'))
    expect(logged).toMatchObject({ status: 'retrying', stage: 'tls', response: null })
    expect(logged.last_error).toContain('protocol version')
  })

  test('TLS that never goes on', async () => {
    const { url } = await startRawReceiver(() => {})
    const logged = await attempt(url.replace('http:', 'https:'), { deadlines: SHORT })
    expect(logged).toMatchObject({ status: 'retrying', stage: 'tls' })
    expect(logged.last_error).toBe(`tls: no connection in ${SHORT.connect_ms} ms`)
  })

  test('something that is not HTTP', async () => {
    const { url } = await startRawReceiver(
      socket => void socket.once('data', () => socket.end('220 smtp ready\r\n')),
    )
    expect(await attempt(url)).toMatchObject({
      status: 'retrying',
      stage: 'headers',
      response: null,
    })
  })

  test('a redirect to the metadata address is not followed', async () => {
    const { url } = await startReceiver(
      status(302, { location: 'http://169.254.169.254/latest/meta-data/' }),
    )
    const logged = await attempt(url)
    expect(logged).toMatchObject({ status: 'retrying', stage: 'status' })
    expect(logged.last_error).toBe('status: answered 302; redirects are not followed')
  })

  test('a header that holds the letters of an escape is kept, and so is what it asks for', async () => {
    const head = 'HTTP/1.1 429 x\r\nX-Path: C:\\u0000\r\nRetry-After: 100\r\n'
    const { url } = await startRawReceiver(
      socket => void socket.once('data', () => socket.end(`${head}Content-Length: 4\r\n\r\nslow`)),
    )
    const logged = await attempt(url)
    expect(logged.response).toMatchObject({
      body: 'slow',
      headers: { 'x-path': 'C:\\u0000', 'retry-after': '100' },
    })
  })

  test('410 whose body ends early is 410', async () => {
    const { url } = await startRawReceiver(
      socket =>
        void socket.once('data', () =>
          socket.end('HTTP/1.1 410 x\r\nContent-Length: 500\r\n\r\nshort'),
        ),
    )
    expect(await attempt(url)).toMatchObject({ status: 'failed', response: { status: 410 } })
  })

  test('an answer that the database cannot hold as text', async () => {
    const { url } = await startRawReceiver(socket => {
      const odd = Buffer.from([0x61, 0x00, 0xff, 0xfe])
      socket.once('data', () =>
        socket.end(
          Buffer.concat([
            Buffer.from(`${HEAD}X-Odd: \xff\xfe\r\nContent-Length: 4\r\n\r\n`, 'latin1'),
            odd,
          ]),
        ),
      )
    })
    const logged = await attempt(url)
    expect(logged).toMatchObject({ status: 'delivered' })
    expect(logged.response).toMatchObject({ body: 'YQD//g==', encoding: 'base64' })
  })

  test('an answer that ends within a character is kept whole; one that we cut there is text', async () => {
    const send = (length: number, body: Buffer) => (socket: Socket) =>
      void socket.once('data', () =>
        socket.end(Buffer.concat([Buffer.from(`${HEAD}Content-Length: ${length}\r\n\r\n`), body])),
      )
    const half = Buffer.from([0x61, 0xc3])
    const whole = await startRawReceiver(send(2, half))
    expect((await attempt(whole.url)).response).toMatchObject({ body: 'YcM=', encoding: 'base64' })
    const long = Buffer.concat([Buffer.alloc(MOST_BODY - 1, 'a'), Buffer.from('é')])
    const cut = await startRawReceiver(send(long.length, long))
    const { response } = await attempt(cut.url)
    expect(response).toMatchObject({ encoding: 'utf8', truncated: true })
    expect(response.body).toHaveLength(MOST_BODY - 1)
  })
})
