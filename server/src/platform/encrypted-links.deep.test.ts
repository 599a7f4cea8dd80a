// Links to a database and a mail server for which TLS is asked: what cannot be encrypted, or proven, is not used at all.
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { startMailServer } from '../../test/mail-server.ts'
import { SELF_SIGNED, SELF_SIGNED_ADDRESS } from '../../test/self-signed.ts'
import { startService, testConfig } from '../../test/service.ts'
import { standBetween } from './database.fixture.ts'
import { openDatabase } from './database.ts'
import { deliverMail } from './mail.ts'
import { reachDatabase } from './reach-database.ts'

const { context } = await startService()

function reach(address: string) {
  const db = openDatabase({ address, pool: 1, prepare: true })
  onTestFinished(() => db.close())
  return reachDatabase(db)
}

const withMode = (address: string, mode: string) => `${address.replace(/\?.*/, '')}?sslmode=${mode}`

test.each(['require', 'verify-full'])(
  'a database that offers no TLS is refused by sslmode=%s, and is told nothing',
  async mode => {
    const heard: Buffer[] = []
    const sent = (bytes: Buffer) => heard.push(bytes) > 0
    const refused = reach(withMode(await standBetween({ sent }), mode))
    await expect(refused).rejects.toThrow(/offers no TLS: .* sslmode/)
    expect(heard.length).toBeGreaterThan(0)
    // A startup in the clear begins with the user's name.
    expect(Buffer.concat(heard).includes('bellwether')).toBe(false)
  },
)

test('a database whose certificate nobody vouches for is refused by sslmode=verify-full', async () => {
  const address = await standBetween({ tls: true })
  expect(await reach(address)).toBeGreaterThanOrEqual(15)
  const said = /nobody known here vouches .* NODE_EXTRA_CA_CERTS/
  await expect(reach(withMode(address, 'verify-full'))).rejects.toThrow(said)
})

test.each([
  { host: 'localhost', of: 'its name', shown: SELF_SIGNED, taken: true },
  { host: '127.0.0.1', of: 'the name localhost', shown: SELF_SIGNED, taken: false },
  { host: '127.0.0.1', of: 'its address', shown: SELF_SIGNED_ADDRESS, taken: true },
  { host: '[::ffff:127.0.0.1]', of: 'its address', shown: SELF_SIGNED_ADDRESS, taken: true },
  { host: 'localhost', of: 'its address', shown: SELF_SIGNED_ADDRESS, taken: false },
])(
  'a database at $host with a certificate of $of: taken by sslmode=verify-full $taken',
  async ({ host, shown, taken }) => {
    const before = getCACertificates()
    onTestFinished(() => setDefaultCACertificates(before))
    setDefaultCACertificates([shown.cert])
    const address = (await standBetween({ tls: true, shown })).replace('127.0.0.1', host)
    const reached = reach(withMode(address, 'verify-full'))
    if (taken) expect(await reached).toBeGreaterThanOrEqual(15)
    else await expect(reached).rejects.toThrow(/its certificate is for another host/)
  },
)

const LETTER = { to: 'ada@example.com', subject: 'A link', text: 'secret' }

test.each([
  (url: string) => `${url}?requireTLS=true`,
  (url: string) => url.replace('smtp:', 'smtps:'),
])('a mail server that offers no TLS gets no mail where it is asked for', async change => {
  const mail = await startMailServer()
  const config = testConfig({ smtp_url: change(mail.url) })
  await expect(deliverMail({ ...context, config }, LETTER)).rejects.toThrow()
  expect(mail.taken).toEqual([])
})

test('a mail server by TLS gets mail once somebody vouches for its certificate', async () => {
  const mail = await startMailServer(SELF_SIGNED_ADDRESS)
  const own = { ...context, config: testConfig({ smtp_url: mail.url }) }
  await expect(deliverMail(own, LETTER)).rejects.toThrow()
  const before = getCACertificates()
  onTestFinished(() => setDefaultCACertificates(before))
  setDefaultCACertificates([SELF_SIGNED_ADDRESS.cert])
  await deliverMail(own, LETTER)
  expect(mail.taken).toHaveLength(1)
})
