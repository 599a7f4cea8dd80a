// Mail that nobody waits for is still sent when the process is asked to end; no mail is waited for without end.
import { expect, test } from 'vitest'
import { startMailServer } from '../../test/mail-server.ts'
import { startService, testConfig } from '../../test/service.ts'
import type { Context } from './context.ts'
import { deliverMail, finishMail, mailFault, sendMail } from './mail.ts'

const mail = await startMailServer()
const context = { config: testConfig({ smtp_url: mail.url }) } as Context
const one = { to: 'a@example.com', subject: 'An invitation', text: 'Come in.\n' }

test('what was begun has been taken once it is waited for', async () => {
  for (let n = 0; n < 3; n++) sendMail(context, one)
  await finishMail(context)
  expect(mail.taken).toHaveLength(3)
})

test('where nothing is under way there is nothing to wait for', async () => {
  await finishMail({ config: testConfig() } as Context)
})

test('a server that is closed lets it go out first', async () => {
  mail.taken.length = 0
  const { app, context: own } = await startService({ smtp_url: mail.url })
  sendMail(own, one)
  await app.close(60_000)
  expect(mail.taken).toHaveLength(1)
})

test('marks that turn the direction of text are left out, whoever gave the name or the note', async () => {
  mail.taken.length = 0
  sendMail(context, {
    ...one,
    subject: 'Score of Ann\u202e',
    text: 'Note: \u2067paid\u2069 twice\n',
  })
  await finishMail(context)
  expect(mail.taken[0]!.text).toContain('Subject: Score of Ann\n')
  expect(mail.taken[0]!.text).toContain('Note: paid twice')
})

test('a server that never comes to the end of an answer is left at the deadline of the mail', async () => {
  const slow = await startMailServer()
  slow.welcome = '250-wait'
  const own = { config: testConfig({ smtp_url: slow.url }) } as Context
  const fault = await deliverMail(own, one, 'slow', 500).catch(error => error)
  expect(mailFault(fault)).toBe('the mail server took too long')
  await slow.left()
})
