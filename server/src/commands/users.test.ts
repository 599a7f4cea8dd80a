// The operator's commands about people: what they mail has left before the process ends, and a link shown is one that works.
import { expect, test } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { addPerson } from '../../test/people.ts'
import { run } from '../../test/program.ts'
import { startService } from '../../test/service.ts'

const service = await startService()
const { address, tenant } = service
const { tenant_id } = await tenant()
const mail = await startMailServer()
const env = {
  DATABASE_URL: databaseUrl(address),
  BELLWETHER_SMTP_URL: mail.url,
}

const invite = (email: string) =>
  run(['user', 'create', '--tenant', tenant_id, '--email', email, '--role', 'owner'], env)
const reset = (email: string, ...more: string[]) =>
  run(['user', 'reset', '--email', email, ...more], env)

test('an invitation and a reset reach the mail server', async () => {
  const { email } = await addPerson(service, tenant_id)
  const ran = [await invite('owner@example.com'), await reset(email)]
  expect(ran.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ])
  expect(mail.taken.map(({ to, text }) => [to, /Subject: .*/.exec(text)?.[0]])).toEqual([
    [['owner@example.com'], 'Subject: An invitation to Bellwether'],
    [[email], 'Subject: A new password for Bellwether'],
  ])
})

test('who has not accepted the invitation, or is disabled, gets no reset, as it would lead nowhere', async () => {
  const { email } = await addPerson(service, tenant_id)
  await invite('new@example.com')
  await run(['user', 'disable', '--email', email], env)
  const sent = mail.taken.length
  expect(await reset('new@example.com', '--second-factor')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'bellwether: user reset: new@example.com has not accepted the invitation; `user create` gives a new link\n',
  })
  expect(await reset(email)).toEqual({
    code: 1,
    stdout: '',
    stderr: `bellwether: user reset: ${email} is disabled; \`user disable --undo\` lets them in again\n`,
  })
  expect(mail.taken.length).toBe(sent)
})
