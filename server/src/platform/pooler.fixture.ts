// A pooler in transaction mode: a connection to the database is lent from the first word of a transaction to its end,
// every time another one, and of how a session is to be set it passes on what PgBouncer does, and refuses the rest.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { PostgresAddress } from './embedded-postgres.ts'
import { signIn } from './scram.fixture.ts'

const KEPT =
  /^(user|database|client_encoding|application_name|timezone|datestyle|standard_conforming_strings)$/i
const CONNECTIONS = 3

type Lent = { socket: Socket; to: Client | null; asked: number }
type Client = { socket: Socket; from: Lent | null; waiting: Buffer[] }

/** Returns the address to connect to. */
export async function startPooler(address: PostgresAddress): Promise<string> {
  const { host, port, user, password, database } = address
  const [lent, free, queue]: [Socket[], Lent[], Client[]] = [[], [], []]
  const pooler = createServer(socket => serve(socket))
  await once(pooler.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of lent) socket.destroy()
    pooler.close()
  })
  const { port: near } = pooler.address() as AddressInfo
  return `postgres://${user}@127.0.0.1:${near}/${database}`

  function serve(socket: Socket): void {
    const client: Client = { socket, from: null, waiting: [] }
    let hello = false
    const hear = readMessages(0, message => {
      if (hello) return forward(client, message)
      hello = true
      const fault = findFault(message)
      if (fault) return void socket.end(fault)
      for (; lent.length < CONNECTIONS; ) lend(message)
      socket.write(WELCOME)
    })
    socket.on('error', () => {}).on('data', hear)
    // Whoever goes in the midst of a transaction leaves a connection that nobody may have.
    socket.on('close', () => client.from?.socket.destroy())
  }

  function lend(hello: Buffer): void {
    const one: Lent = { socket: connect(`${host}/.s.PGSQL.${port}`), to: null, asked: 1 }
    lent.push(one.socket)
    one.socket.write(hello)
    const prove = signIn(password)
    const hear = readMessages(1, message => {
      one.to?.socket.write(message)
      const proof = message[0] === AUTHENTICATION ? prove(message) : null
      if (proof) one.socket.write(proof)
      if (message[0] !== READY) return
      one.asked--
      if (one.asked === 0 && message[5] === IDLE) giveBack(one)
    })
    one.socket.on('error', () => {}).on('data', hear)
    one.socket.on('close', () => one.to?.socket.destroy())
  }

  function giveBack(one: Lent): void {
    if (one.to) one.to.from = null
    one.to = null
    const next = queue.shift()
    if (next) take(next, one)
    else free.push(one)
  }

  function take(client: Client, one: Lent): void {
    one.to = client
    client.from = one
    for (const message of client.waiting.splice(0)) forward(client, message)
  }

  function forward(client: Client, message: Buffer): void {
    const { from } = client
    if (from) {
      if (message[0] === QUERY || message[0] === SYNC) from.asked++
      from.socket.write(message)
      return
    }
    if (message[0] === END) return
    client.waiting.push(message)
    const one = free.shift()
    if (one) take(client, one)
    else if (!queue.includes(client)) queue.push(client)
  }
}

const code = (letter: string) => letter.charCodeAt(0)
const [READY, IDLE, QUERY, SYNC, END, AUTHENTICATION] = ['Z', 'I', 'Q', 'S', 'X', 'R'].map(code)

const tagged = (tag: string, body: Buffer) => {
  const head = Buffer.alloc(5, tag)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const WELCOME = Buffer.concat([
  tagged('R', Buffer.alloc(4)),
  tagged('K', Buffer.alloc(8)),
  tagged('Z', Buffer.from('I')),
])

function findFault(hello: Buffer): Buffer | null {
  const words = hello.toString('utf8', 8).split('\0')
  const strange = words.find((word, i) => i % 2 === 0 && word !== '' && !KEPT.test(word))
  if (!strange) return null
  const text = `unsupported startup parameter: ${strange}`
  return tagged('E', Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`))
}

/** Hands out whole messages; the first of a client has no letter before its length. */
function readMessages(first: 0 | 1, heard: (message: Buffer) => void) {
  let rest = Buffer.alloc(0)
  let letter: number = first
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= letter + 4) {
      const length = letter + rest.readInt32BE(letter)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      letter = 1
      heard(message)
    }
  }
}
