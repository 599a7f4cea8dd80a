// A receiver whose name leads to several addresses: which are tried, for how long, and what is said where none answers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGuard } from './destination-guard.ts'
import { startReceiver } from './receiver.fixture.ts'
import type { Address } from './resolve-host.ts'
import { createSender, DEADLINES, type Deadlines } from './send-request.ts'

const v4 = (...addresses: string[]): Address[] => addresses.map(address => ({ address, family: 4 }))
/** Nothing listens there. */
const CLOSED = Array.from({ length: 100 }, (_, n) => `127.0.1.${n + 1}`)

async function sendTo(
  port: string,
  addresses: Address[],
  deadlines: Deadlines = DEADLINES,
  asked = () => {},
) {
  const resolve = async () => {
    setImmediate(asked)
    return addresses
  }
  const sender = createSender({ guard: createGuard(['127.0.0.0/8']), resolve, deadlines })
  onTestFinished(() => sender.close())
  return sender.send({ url: `http://hooks.example:${port}/`, headers: {}, body: '{}' })
}

async function openReceiver() {
  const receiver = await startReceiver()
  return { ...receiver, port: new URL(receiver.url).port }
}

/** Another receiver: it takes no more connections until it is let go on. */
async function startFull(port = '0', host = '127.0.0.9') {
  const serve = `const server = require('node:http').createServer((_, response) => response.end('late'))
    server.listen({ port: ${port}, host: '${host}', backlog: 1 }, () => console.log(server.address().port))`
  const program = spawn(process.execPath, ['-e', serve], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void program.kill('SIGKILL'))
  const [told] = await once(program.stdout, 'data')
  program.kill('SIGSTOP')
  // Two find room in its queue; from then on nobody does.
  const callers = [1, 2].map(() => connect(Number(told), '127.0.0.9'))
  for (const caller of callers) onTestFinished(() => void caller.destroy())
  await Promise.all(callers.map(caller => once(caller, 'connect')))
  return { port: `${Number(told)}`, goOn: () => void program.kill('SIGCONT') }
}

describe('a name that leads to several addresses', () => {
  test('the next one is tried where one refuses', async () => {
    const { port, got } = await openReceiver()
    const reply = await sendTo(port, v4(...CLOSED.slice(0, 7), '127.0.0.1'))
    expect(reply).toMatchObject({ status: 200, error: null })
    expect(got).toHaveLength(1)
  })

  test('the next one is tried where one lets us wait', async () => {
    const { port, got } = await openReceiver()
    await startFull(port)
    const reply = await sendTo(port, v4('127.0.0.9', '127.0.0.1'))
    expect(reply).toMatchObject({ status: 200, error: null })
    expect(got).toHaveLength(1)
  })

  test('each of the first has a third of the time, as those far away need it', async () => {
    const { port } = await openReceiver()
    const { goOn } = await startFull(port)
    // Who finds no room calls again after a second.
    const reply = await sendTo(
      port,
      v4('127.0.0.9', CLOSED[0]!),
      { connect_ms: 60_000, total_ms: 90_000 },
      goOn,
    )
    expect(reply).toMatchObject({ status: 200, error: null })
    expect(reply.body.toString()).toBe('late')
  })

  test('of very many few are called: a name is no way to have others knocked at', async () => {
    const { port, got } = await openReceiver()
    const reply = await sendTo(port, v4(...CLOSED, '127.0.0.1'))
    expect(reply.error).toEqual({ stage: 'connect', message: 'connect: connection refused' })
    expect(got).toHaveLength(0)
  })

  test('the limit holds for all of them together', async () => {
    const { port } = await startFull('0', '0.0.0.0')
    const addresses = v4('127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5')
    const reply = await sendTo(port, addresses, { connect_ms: 300, total_ms: 9_000 })
    expect(reply.error).toEqual({ stage: 'connect', message: 'connect: no connection in 300 ms' })
  })

  test('where one lets us wait and the others refuse, the log says so in words', async () => {
    const { port } = await openReceiver()
    await startFull(port)
    const reply = await sendTo(port, v4('127.0.0.9', CLOSED[0]!))
    expect(reply.error).toEqual({ stage: 'connect', message: 'connect: connection timed out' })
  })
})
