// The environment becomes one frozen object here and nowhere else; all faults are reported at once.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'

export type Config = {
  readonly host: string
  readonly port: number
  readonly public_url: string | null
  readonly database_url: string | null
  /** What the names of the two roles of row-level security begin with. */
  readonly database_roles: string
  readonly data_dir: string
  readonly pool: number
  readonly prepare: boolean
  readonly trust_proxy: string | null
  readonly log_level: string
  readonly secret_key: string | null
  /** The key before it, while both are around. */
  readonly secret_key_before: string | null
  /** Networks, as CIDR, to which webhooks may be sent although they are not public. */
  readonly webhook_allow: readonly string[]
  /** Networks to which none is sent, although they are public or allowed. */
  readonly webhook_deny: readonly string[]
  readonly smtp_url: string | null
  readonly mail_from: string
  /** Where Prometheus asks; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  /** Where spans are sent; null: none are made. */
  readonly otel: {
    readonly endpoint: string
    readonly headers: Readonly<Record<string, string>>
    readonly service_name: string
    readonly ratio: number
  } | null
  /** What one argon2id costs; OWASP's least for servers, and cheaper in tests. */
  readonly password_cost: { readonly memory_kib: number; readonly passes: number }
  /** Names that are set and that nothing here reads: a misspelt setting is among them. */
  readonly unread: readonly string[]
  /** Settings whose value is Kubernetes' word of a service that is called like them, and holds as unset. */
  readonly service_links: readonly string[]
}

export class ConfigError extends Error {}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

type Reader = (name: string, value: string) => string | undefined

const longEnough: Reader = (name, value) =>
  value.length >= 32 ? undefined : `${name} must have at least 32 characters`

const plainName: Reader = (name, value) =>
  /^[a-z][a-z0-9_]{0,49}$/.test(value)
    ? undefined
    : `${name} must be a name of small letters, digits and _, at most 50 characters`

const CHECKS: Record<string, Reader> = {
  PORT: wholeNumber(0, 65_535),
  BELLWETHER_DATABASE_POOL: wholeNumber(1, 100),
  BELLWETHER_DATABASE_ROLES: plainName,
  BELLWETHER_DATABASE_PREPARE: oneOf(['on', 'off']),
  BELLWETHER_LOG_LEVEL: oneOf(LOG_LEVELS),
  BELLWETHER_SECRET_KEY: longEnough,
  BELLWETHER_SECRET_KEY_BEFORE: longEnough,
  DATABASE_URL: databaseUrl,
  BELLWETHER_PUBLIC_URL: ownUrl,
  BELLWETHER_TRUST_PROXY: proxies,
  BELLWETHER_WEBHOOK_ALLOW: networks,
  BELLWETHER_WEBHOOK_DENY: networks,
  BELLWETHER_SMTP_URL: urlWithPassword(['smtp:', 'smtps:'], true),
  BELLWETHER_MAIL_FROM: sender,
  BELLWETHER_METRICS_PORT: wholeNumber(0, 65_535),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:']),
  OTEL_EXPORTER_OTLP_HEADERS: headerList,
  OTEL_TRACES_SAMPLER_ARG: ratio,
}

/** What must not stand in a list of processes may stand in a file: the setting with `_FILE` names it. */
const SECRETS = [
  'DATABASE_URL',
  'BELLWETHER_SECRET_KEY',
  'BELLWETHER_SECRET_KEY_BEFORE',
  'BELLWETHER_SMTP_URL',
]

export const SETTINGS: readonly string[] = [
  ...Object.keys(CHECKS),
  ...SECRETS.map(name => `${name}_FILE`),
  'HOST',
  'BELLWETHER_DATA_DIR',
  'BELLWETHER_METRICS_HOST',
]

/** Kubernetes names each service to every pod; one that is called like us is `BELLWETHER_PORT=tcp://…`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//

function isUnread(name: string, value = ''): boolean {
  return value !== '' && !SETTINGS.includes(name) && !SERVICE_LINK.test(value)
}

/** A service `bellwether-metrics` gives a setting of ours a value that nobody chose. */
function findServiceLinks(given: NodeJS.ProcessEnv): string[] {
  return SETTINGS.filter(name => name.endsWith('_PORT') && SERVICE_LINK.test(given[name] ?? ''))
}

export function readConfig(given: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = []
  const service_links = findServiceLinks(given)
  const env = { ...given, ...readSecretFiles(given, faults) }
  for (const name of service_links) delete env[name]
  for (const [name, check] of Object.entries(CHECKS)) {
    const value = env[name]
    const fault = value === undefined || value === '' ? undefined : check(name, value)
    if (fault) faults.push(fault)
  }
  if (faults.length > 0) throw new ConfigError(faults.join('; '))
  return Object.freeze({
    host: bareHost(env.HOST),
    port: Number(env.PORT || 3000),
    public_url: env.BELLWETHER_PUBLIC_URL ? new URL(env.BELLWETHER_PUBLIC_URL).origin : null,
    database_url: env.DATABASE_URL || null,
    database_roles: env.BELLWETHER_DATABASE_ROLES || 'bellwether',
    data_dir: resolve(env.BELLWETHER_DATA_DIR || './data'),
    pool: Number(env.BELLWETHER_DATABASE_POOL || 10),
    prepare: env.BELLWETHER_DATABASE_PREPARE !== 'off',
    trust_proxy: splitList(env.BELLWETHER_TRUST_PROXY).join(',') || null,
    log_level: env.BELLWETHER_LOG_LEVEL || 'info',
    secret_key: env.BELLWETHER_SECRET_KEY || null,
    secret_key_before: env.BELLWETHER_SECRET_KEY_BEFORE || null,
    webhook_allow: splitList(env.BELLWETHER_WEBHOOK_ALLOW),
    webhook_deny: splitList(env.BELLWETHER_WEBHOOK_DENY),
    smtp_url: env.BELLWETHER_SMTP_URL || null,
    mail_from: env.BELLWETHER_MAIL_FROM || 'Bellwether <bellwether@localhost>',
    metrics: env.BELLWETHER_METRICS_PORT
      ? { host: bareHost(env.BELLWETHER_METRICS_HOST), port: Number(env.BELLWETHER_METRICS_PORT) }
      : null,
    otel: readOtel(env),
    password_cost: { memory_kib: 19_456, passes: 2 },
    unread: Object.keys(given).filter(name => isUnread(name, given[name])),
    service_links,
  })
}

function readSecretFiles(env: NodeJS.ProcessEnv, faults: string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of SECRETS) {
    const path = env[`${name}_FILE`]
    if (!path) continue
    if (env[name]) faults.push(`${name} and ${name}_FILE are both set: keep one`)
    try {
      found[name] = readFileSync(path, 'utf8').trim()
    } catch (error) {
      faults.push(`${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}`)
      continue
    }
    if (found[name] === '') faults.push(`${name}_FILE is empty`)
  }
  return found
}

function wholeNumber(least: number, most: number): Reader {
  return (name, value) => {
    const fits = /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most
    return fits ? undefined : `${name} must be a whole number from ${least} to ${most}`
  }
}

function oneOf(values: readonly string[]): Reader {
  return (name, value) =>
    values.includes(value) ? undefined : `${name} must be one of ${values.join(', ')}`
}

function url(protocols: readonly string[], needsHost = false): Reader {
  return (name, value) => {
    const { protocol, host } = URL.canParse(value) ? new URL(value) : {}
    if (protocol === undefined && protocols.some(one => value.startsWith(`${one}//`))) {
      return `${name} cannot be read as a URL: check host and port, and write # / ? @ in a password as %23 %2F %3F %40`
    }
    if (protocol === undefined || !protocols.includes(protocol)) {
      const beginnings = protocols.map(one => `${one}//`).join(' or ')
      return `${name} must be a URL that begins with ${beginnings}`
    }
    // Its parts are decoded where it is used; a bare % stands most often in a password.
    if (!canDecode(value)) return `${name} must be percent-encoded: % itself is %25`
    return needsHost && host === '' ? `${name} must name a host` : undefined
  }
}

/** As libpq and some clouds write a socket, its folder would be passed over and this machine's port 5432 tried. */
function databaseUrl(name: string, value: string): string | undefined {
  return /[?&]host=/.test(value)
    ? `${name} must name the host before the path, not as host=; a unix socket by its percent-encoded folder, like postgres://user@%2Frun%2Fpostgresql/name`
    : urlWithPassword(['postgres:', 'postgresql:'])(name, value)
}

/** An unencoded / ? or # in a password ends the host within it, so the @ behind it stands in what follows. */
function urlWithPassword(protocols: readonly string[], needsHost = false): Reader {
  const check = url(protocols, needsHost)
  return (name, value) => {
    const fault = check(name, value)
    if (fault) return fault
    const { pathname, search, hash } = new URL(value)
    return `${pathname}${search}${hash}`.includes('@')
      ? `${name} has an @ behind its host: in user and password write # / ? @ as %23 %2F %3F %40`
      : undefined
  }
}

/** `[::1]` is how IPv6 stands in a URL; sockets want it bare. */
function bareHost(value = ''): string {
  return value.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1'
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** Pages, cookies and the issuer stand at the root of their host. */
function ownUrl(name: string, value: string): string | undefined {
  const fault = url(['http:', 'https:'])(name, value)
  if (fault) return fault
  const { href, origin } = new URL(value)
  return href.replace(/\/+$/, '') === origin
    ? undefined
    : `${name} must be like https://score.example, without path, query and user`
}

function sender(name: string, value: string): string | undefined {
  const fits = /^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(value)
  return fits ? undefined : `${name} must be an email address, or like Name <name@score.example>`
}

function ratio(name: string, value: string): string | undefined {
  const fits = /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value)
  return fits ? undefined : `${name} must be a number from 0 to 1`
}

function headerList(name: string, value: string): string | undefined {
  const fits = splitList(value).every(pair =>
    /^[\w-]+=(?:[\x21-\x24\x26-\x7e]|%[2-7][\da-f])*$/i.test(pair),
  )
  return fits ? undefined : `${name} must be like name=value,name=value`
}

/** The names are those of OpenTelemetry, so that it is set up like every other service. */
function readOtel(env: NodeJS.ProcessEnv): Config['otel'] {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '')
  if (!endpoint) return null
  const pairs = splitList(env.OTEL_EXPORTER_OTLP_HEADERS).map(pair => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const
  })
  return {
    endpoint,
    headers: Object.fromEntries(pairs),
    service_name: env.OTEL_SERVICE_NAME || 'bellwether',
    ratio: Number(env.OTEL_TRACES_SAMPLER_ARG || 1),
  }
}

function splitList(value = ''): readonly string[] {
  return value.split(',').flatMap(part => part.trim() || [])
}

/** Four numbers where it is IPv4: `1` would be an address too, and is meant as a count of proxies. */
function isPlainRange(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr
  if (text.includes('/')) return IPv4.isValidCIDRFourPartDecimal(text) || IPv6.isValidCIDR(text)
  return IPv4.isValidFourPartDecimal(text) || IPv6.isValid(text)
}

/** Names of ranges that the framework knows. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal']

function proxies(name: string, value: string): string | undefined {
  const wrong = splitList(value).find(one => !RANGES.includes(one) && !isPlainRange(one))
  if (wrong === undefined) return undefined
  return `${name} must be addresses or networks with commas between, like 10.0.0.0/8,::1, not "${wrong}"`
}

function networks(name: string, value: string): string | undefined {
  const wrong = splitList(value).find(one => !ipaddr.isValidCIDR(one))
  if (wrong === undefined) return undefined
  return `${name} must be networks with commas between, like 10.0.0.0/8,fd00::/8, not "${wrong}"`
}
