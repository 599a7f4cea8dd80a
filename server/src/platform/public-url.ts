// Where people and apps reach this service: the operator's setting, else the address it listens on.
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

/** Invariant: never taken from a request, so a forged Host header changes no link and no issuer. */
export function publicUrl(config: Config, server: Pick<FastifyInstance, 'server'> | null): string {
  if (config.public_url !== null) return config.public_url
  const address = server?.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  return `http://${hostOf(config.host)}:${port}`
}

/** As it stands in a URL that can be opened. */
export function hostOf(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

export function isHttps(config: Config): boolean {
  return config.public_url?.startsWith('https:') ?? false
}
