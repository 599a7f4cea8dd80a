// A mail server for tests: takes what is sent to it, or answers as told.
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect } from 'vitest'
import { afterFile } from './after-file.ts'

export type Taken = { to: string[]; text: string }

export type MailServer = {
  url: string
  taken: Taken[]
  /** What was taken, invitations of the test's own people aside. */
  sent(): Taken[]
  /** The token of the link in the newest mail to somebody, once they have had so many with one. */
  tokenFor(email: string, mails?: number): Promise<string>
  /** The answer to each recipient; 250 takes the mail. */
  answer: string
  /** The answer to whoever wants to send at all. */
  welcome: string
  /** Resolves once everybody who came has gone. */
  left(): Promise<void>
}

/** By TLS where it has a certificate to show. */
export async function startMailServer(shown?: { key: string; cert: string }): Promise<MailServer> {
  const visits: Promise<void>[] = []
  const receive = (socket: Socket) => {
    visits.push(new Promise(resolve => socket.once('close', () => resolve())))
    converse(socket, mail)
  }
  const server = shown ? createTlsServer(shown, receive) : createServer(receive)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const taken: Taken[] = []
  const sent = () => taken.filter(({ text }) => !text.includes('Subject: An invitation'))
  const url = `${shown ? 'smtps' : 'smtp'}://127.0.0.1:${port}`
  const left = async () => void (await Promise.all(visits))
  const tokenFor = async (email: string, mails = 1) => {
    const tokens = () =>
      taken.flatMap(({ to, text }) => (to.includes(email) ? (tokenIn(text) ?? []) : []))
    await expect.poll(() => tokens().length).toBe(mails)
    return tokens().at(-1)!
  }
  const [answer, welcome] = ['250 ok', '250 ok']
  const mail: MailServer = { url, taken, sent, tokenFor, answer, welcome, left }
  afterFile(() => close(server))
  return mail
}

/** Of a mail as it is written on the wire. */
export function tokenIn(text: string): string | undefined {
  return /token=(\w{43})/.exec(text.replace(/=\r?\n/g, '').replaceAll('=3D', '='))?.[1]
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()))
}

function converse(socket: Socket, mail: MailServer): void {
  let rest = ''
  let data: string[] | null = null
  let to: string[] = []
  const say = (line: string) => socket.write(`${line}\r\n`)
  const hear = (line: string) => {
    if (data !== null) {
      if (line !== '.') return void data.push(line)
      mail.taken.push({ to, text: data.join('\n') })
      data = null
      return say('250 taken')
    }
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'MAIL') {
      to = []
      return say(mail.welcome)
    }
    if (verb === 'RCPT') {
      if (mail.answer.startsWith('250')) to.push(/<(.*)>/.exec(line)![1]!)
      return say(mail.answer)
    }
    if (verb === 'DATA') data = []
    if (verb === 'QUIT') return void socket.end('221 bye\r\n')
    say(verb === 'DATA' ? '354 go on' : '250 ok')
  }
  socket.on('error', () => {})
  socket.on('data', chunk => {
    const lines = (rest + chunk.toString()).split('\r\n')
    rest = lines.pop()!
    for (const line of lines) hear(line)
  })
  say('220 test')
}
