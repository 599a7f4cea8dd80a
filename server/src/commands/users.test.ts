// The operator's commands about people: what they mail has left before the process ends.
import { expect, test } from 'vitest'
import { startMailServer } from '../../test/mail-server.ts'
import { run } from '../../test/program.ts'
import { startService } from '../../test/service.ts'

const { address, tenant } = await startService()
const { tenant_id } = await tenant()
const mail = await startMailServer()
const env = {
  DATABASE_URL: `postgres://bellwether@${encodeURIComponent(address.host)}/${address.database}`,
  BELLWETHER_SMTP_URL: mail.url,
}

test('an invitation and a reset reach the mail server', { timeout: 120_000 }, async () => {
  const email = ['--email', 'owner@example.com']
  const create = ['user', 'create', '--tenant', tenant_id, ...email, '--role', 'owner']
  const ran = [await run(create, env), await run(['user', 'reset', ...email], env)]
  expect(ran.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ])
  expect(mail.taken.map(({ to, text }) => [to, /Subject: .*/.exec(text)?.[0]])).toEqual([
    [['owner@example.com'], 'Subject: An invitation to Bellwether'],
    [['owner@example.com'], 'Subject: A new password for Bellwether'],
  ])
})
