// Stands between the driver and the database: sees what goes to and fro, and holds back what it is told to.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import { cloneDatabase } from '../../test/service.ts'

export type Between = {
  /** False: it does not reach the database. */
  sent?(bytes: Buffer, client: Socket): boolean
  answered?(): void
  tls?: boolean
}

/** Returns the address to connect to. */
export async function standBetween({ sent, answered, tls = false }: Between): Promise<string> {
  const { host, port, user, password, database: name } = await cloneDatabase()
  const proxy = createServer(async socket => {
    socket.on('error', () => {})
    const client = tls ? await secure(socket) : socket
    const database = connect(`${host}/.s.PGSQL.${port}`)
    client.on('error', () => database.destroy()).on('close', () => database.destroy())
    database.on('error', () => client.destroy()).on('close', () => client.destroy())
    database.on('data', bytes => {
      answered?.()
      client.write(bytes)
    })
    client.on('data', bytes => {
      if (sent?.(bytes, client) !== false) database.write(bytes)
    })
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void proxy.close())
  const { port: near } = proxy.address() as AddressInfo
  const query = tls ? '?sslmode=require' : ''
  return `postgres://${user}:${password}@127.0.0.1:${near}/${name}${query}`
}

/** The client's first message asks for TLS. */
async function secure(socket: Socket): Promise<Socket> {
  await once(socket, 'data')
  socket.write('S')
  return new TLSSocket(socket, { isServer: true, key: KEY, cert: CERTIFICATE })
}

/** Signed by itself, for tests alone: everybody knows this key. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjBJ9Pf7zcMr8Z2vb
68ubFVXOzMddkqGHyQu0rTISvy+hRANCAASGaIha/I0Cp8Fk0MjL0GAf/40e1cWY
AOIn7E7BDbeEt1mMXsvKE1AMxnP+gQqfLIxvnM1bw15xssLasMhRBjiT
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfjCCASWgAwIBAgIUMEF0lCERB35YkiEeyNLyQnDwkIMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjEyMTkxN1oYDzIxMjYxMDIz
MTIxOTE3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASGaIha/I0Cp8Fk0MjL0GAf/40e1cWYAOIn7E7BDbeEt1mMXsvKE1AM
xnP+gQqfLIxvnM1bw15xssLasMhRBjiTo1MwUTAdBgNVHQ4EFgQUqgE5SGv+xu4A
SXAOLfpw1+dwL54wHwYDVR0jBBgwFoAUqgE5SGv+xu4ASXAOLfpw1+dwL54wDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAfx4UKiEN/qJSo717UgRtV
lJS8XrHcRl7wIPoiV4R6rAIgUiy3LTyVRr5gOnUzXzaL8b1+JVKBdg/HDtLEUU9m
1yg=
-----END CERTIFICATE-----`
