// Whoever asks for the large documents as fast as they can, without a credential, keeps nobody else waiting.
import { get } from 'node:http'
import { expect, test } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { portOf, sendRaw } from '../../test/raw-socket.ts'
import { startService } from '../../test/service.ts'

const service = await startService()
const port = await portOf(service.app)
const MOST_MS = 1_000

function ask(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get({ port, path, agent: false }, response => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
    request.on('error', reject)
  })
}

/** What this process had done meanwhile, whatever else the machine was doing. */
function busyMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/** How long the longest wait for /healthz was while the work was going on. */
async function longestWait(work: Promise<unknown>): Promise<number> {
  let [going, longest] = [true, 0]
  const end = work.finally(() => {
    going = false
  })
  while (going) {
    const begun = process.cpuUsage()
    expect(await ask('/healthz')).toBe(200)
    longest = Math.max(longest, busyMs(begun))
  }
  await end
  return longest
}

test('64 callers of /openapi.json and /docs are told 429, and /healthz answers within a second', async () => {
  const statuses: number[] = []
  const caller = async (_: unknown, i: number) => {
    for (let n = 0; n < 10; n++) statuses.push(await ask(i % 2 ? '/docs' : '/openapi.json'))
  }
  expect(await longestWait(Promise.all(Array.from({ length: 64 }, caller)))).toBeLessThan(MOST_MS)
  expect(statuses.filter(status => status === 200)).toHaveLength(100)
  expect(statuses.filter(status => status === 429)).toHaveLength(540)
})

test.each(['/docs', '/openapi.json', '/v1/me', '/'])(
  '4 connections with 400 requests for %s each, sent at once, and /healthz answers within a second',
  async path => {
    service.clock.advance(10 * 60_000)
    const bytes = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(399)
    const last = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    const crowd = Promise.all(
      Array.from({ length: 4 }, () => sendRaw(port, bytes + last, PATIENCE_MS)),
    )
    expect(await longestWait(crowd)).toBeLessThan(MOST_MS)
    const statuses = (await crowd).flatMap(answer => answer.statuses)
    expect(statuses).toHaveLength(1600)
    const refused = statuses.filter(status => status === 429)
    expect(refused).toHaveLength(path === '/' ? 0 : 1500)
  },
)
