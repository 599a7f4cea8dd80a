// The wire between two parts: what it does to connections, and that it always comes back.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Link, openLink } from './link.ts'

async function openEcho(): Promise<Link> {
  const server = createServer(socket => void socket.on('error', () => {}).pipe(socket))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const link = await openLink(() => port)
  onTestFinished(() => {
    link.close()
    server.close()
  })
  return link
}

/** Says a word through the link; resolves with what came back or why nothing did. */
function ask({ port }: Link, word: string): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write(word))
    socket.once('data', data => finish(socket, String(data)))
    socket.once('end', () => finish(socket, 'end'))
    socket.once('error', (error: NodeJS.ErrnoException) => finish(socket, error.code ?? ''))
    function finish(one: Socket, told: string): void {
      one.destroy()
      resolve(told)
    }
  })
}

test('carries bytes, late when it is slow', async () => {
  const link = await openEcho()
  expect(await ask(link, 'a')).toBe('a')
  link.slow(60)
  const began = performance.now()
  expect(await ask(link, 'b')).toBe('b')
  expect(performance.now() - began).toBeGreaterThanOrEqual(115)
})

test('ends and resets connections for a while', async () => {
  const link = await openEcho()
  // A process that stands still comes too late for so short a while, and tries again.
  const askDuring = async (refuse: (ms: number) => Promise<void>) => {
    const over = refuse(100)
    const told = await ask(link, 'a')
    await over
    return told
  }
  await expect.poll(() => askDuring(link.finish)).toBe('end')
  expect(await ask(link, 'a')).toBe('a')
  await expect.poll(() => askDuring(link.reset)).toBe('ECONNRESET')
  expect(await ask(link, 'a')).toBe('a')
})

test('goes away and comes back, also with a peer that never ends its half', async () => {
  const link = await openEcho()
  const stubborn = connect({ port: link.port, host: '127.0.0.1', allowHalfOpen: true })
  stubborn.on('error', () => {})
  onTestFinished(() => void stubborn.destroy())
  await link.finish(50)
  link.leave()
  expect(await ask(link, 'a')).toBe('ECONNREFUSED')
  await link.comeBack()
  expect(await ask(link, 'a')).toBe('a')
})

test('keeps the order of bytes when it is slow no more, also in a process that is busy', async () => {
  const link = await openEcho()
  const steady = await open(link)
  let heard = ''
  steady.on('data', data => {
    heard += data
  })
  let said = ''
  for (let i = 0; i < 20; i++) {
    link.slow(40)
    steady.write(`${i} a `)
    await sleep(10)
    link.slow(0)
    steady.write(`${i} b `)
    holdUp(15)
    said += `${i} a ${i} b `
    while (heard.length < said.length) await sleep(1)
  }
  expect(heard).toBe(said)
})

async function open({ port }: Link): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.setNoDelay(true)
  await once(socket, 'connect')
  return socket
}

function holdUp(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}
