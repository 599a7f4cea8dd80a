// No way leads to an internal address: not by a literal in any disguise, not by a name, not by a changing answer.
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createGuard, NOT_ALLOWED } from './destination-guard.ts'
import { message, startRawReceiver, startReceiver } from './receiver.fixture.ts'
import type { Address } from './resolve-host.ts'
import { createSender, DEADLINES } from './send-request.ts'

const guard = createGuard([])

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://127.0.0.1./',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://192.168.1.1:8080/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://168.63.129.16/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[::ffff:168.63.129.16]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001::1]/',
  'http://[2001:db8::1]/',
  'http://[fc00::1]/',
  'http://[fd12::1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[4000::1]/',
])('%s is refused', url => {
  expect(guard.checkUrl(url)).toEqual({ path: 'url', message: NOT_ALLOWED })
})

test.each([
  ['ftp://example.com/', /http or https/],
  ['file:///etc/passwd', /http or https/],
  ['https://user@example.com/', /user name/],
  ['https://:pw@example.com/', /user name/],
  ['https://example.com/#x', /fragment/],
  ['not a url', /absolute/],
  ['https://exa mple.com/', /absolute/],
  ['https://example.com/\n', /absolute/],
  [`https://example.com/${'a'.repeat(2048)}`, /2048/],
])('%s is no destination', (url, why) => {
  expect(guard.checkUrl(url)?.message).toMatch(why)
})

test('a URL may have 2048 characters, and not one more', () => {
  const long = (length: number) => 'https://example.com/'.padEnd(length, 'a')
  expect(guard.checkUrl(long(2048))).toBeNull()
  expect(guard.checkUrl(long(2049))?.message).toBe('must have at most 2048 characters')
})

test('public addresses and names are taken, and listed networks are opened', () => {
  for (const url of [
    'https://example.com/a?b=c',
    'http://93.184.216.34:8080/',
    'https://[2606:4700::1111]/',
  ]) {
    expect(guard.checkUrl(url)).toBeNull()
  }
  const opened = createGuard(['10.0.0.0/8', 'fd00::/8'])
  expect(opened.allows('10.9.9.9')).toBe(true)
  expect(opened.allows('::ffff:10.9.9.9')).toBe(true)
  expect(opened.allows('fd12::1')).toBe(true)
  expect(opened.allows('192.168.0.1')).toBe(false)
  expect(opened.allows('127.0.0.1')).toBe(false)
  expect(opened.allows('localhost')).toBe(false)
})

test('what Azure serves its own machines at is closed, its neighbours are not, and an operator may open it', () => {
  expect(guard.allows('168.63.129.16')).toBe(false)
  for (const address of ['168.63.129.15', '168.63.129.17']) {
    expect(guard.allows(address), address).toBe(true)
  }
  expect(createGuard(['168.63.129.16/32']).allows('168.63.129.16')).toBe(true)
})

test('closed networks are refused, although public or within an opened one', () => {
  const { allows, checkUrl } = createGuard(
    ['10.0.0.0/8'],
    ['93.184.216.0/24', '10.1.0.0/16', '2606:4700::/32', '::ffff:8.8.8.0/120'],
  )
  const refused = [
    '93.184.216.34',
    '::ffff:93.184.216.34',
    '10.1.2.3',
    '2606:4700::1111',
    '8.8.8.8',
  ]
  for (const address of refused) expect(allows(address), address).toBe(false)
  expect(checkUrl('https://93.184.216.34/')?.message).toBe('destination address not allowed')
  for (const address of ['93.184.217.1', '10.2.0.1', '2620:fe::9', '8.8.9.8']) {
    expect(allows(address), address).toBe(true)
  }
})

function sendTo(url: string, allow: string[], resolve: (hostname: string) => Promise<Address[]>) {
  const sender = createSender({ guard: createGuard(allow), resolve, deadlines: DEADLINES })
  return sender.send({ url, headers: {}, body: JSON.stringify(message('emp_1', 0)) })
}

const never = async (): Promise<Address[]> => {
  throw new Error('asked although the address stood there')
}

test('a literal address is judged again when connecting', async () => {
  let connections = 0
  const receiver = await startRawReceiver(() => {
    connections++
  })
  const reply = await sendTo(receiver.url, [], never)
  expect(reply.error).toEqual({ stage: 'destination', message: NOT_ALLOWED })
  // One of ours, after which any before it has arrived too.
  const own = connect(Number(new URL(receiver.url).port), '127.0.0.1')
  await expect.poll(() => connections).toBeGreaterThan(0)
  expect(connections).toBe(1)
  own.destroy()
})

test('who is really at the other end is judged once more', async () => {
  const receiver = await startReceiver()
  const asked: string[] = []
  const forgetful = {
    ...createGuard(['127.0.0.0/8']),
    allows: (address: string) => asked.push(address) === 1,
  }
  const sender = createSender({ guard: forgetful, resolve: never, deadlines: DEADLINES })
  const body = JSON.stringify(message('emp_1', 0))
  const reply = await sender.send({ url: receiver.url, headers: {}, body })
  expect(reply.error).toEqual({ stage: 'destination', message: NOT_ALLOWED })
  expect(asked).toEqual(['127.0.0.1', '127.0.0.1'])
  expect(receiver.got).toHaveLength(0)
})

test('one bad address among several refuses all of them', async () => {
  const receiver = await startReceiver()
  const port = new URL(receiver.url).port
  const mixed = async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ]
  const reply = await sendTo(`http://hooks.example:${port}/`, ['127.0.0.0/8'], mixed)
  expect(reply.error).toEqual({ stage: 'destination', message: NOT_ALLOWED })
  expect(receiver.got).toHaveLength(0)
})

test('a resolver that answers differently the second time is asked only once per connection', async () => {
  const receiver = await startReceiver()
  const port = new URL(receiver.url).port
  let asked = 0
  const rebinding = async () => {
    asked += 1
    return [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]
  }
  const url = `http://hooks.example:${port}/`
  const first = await sendTo(url, ['127.0.0.0/8'], rebinding)
  expect(first).toMatchObject({ status: 200, error: null })
  expect(asked).toBe(1)
  expect(receiver.got).toHaveLength(1)
  const second = await sendTo(url, ['127.0.0.0/8'], rebinding)
  expect(second.error).toEqual({ stage: 'destination', message: NOT_ALLOWED })
  expect(receiver.got).toHaveLength(1)
})
