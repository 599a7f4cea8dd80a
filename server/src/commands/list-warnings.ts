// Settings that work but leave data in the clear on a network, and names that set nothing: said at every start, until
// they are put right.
import ipaddr from 'ipaddr.js'
import type { Config } from '../config.ts'
import { isHttps } from '../platform/public-url.ts'
import { findUnknownSettings, type UnknownSetting } from './unknown-settings.ts'

export function listWarnings(config: Config): string[] {
  const warnings = findUnknownSettings(config.unread).map(sayUnknown)
  warnings.push(...config.service_links.map(sayServiceLink))
  if (!isLocal(config.host) && !isHttps(config)) {
    warnings.push(
      `HOST ${config.host} can be reached from elsewhere without TLS: put a proxy with TLS in front and set ` +
        'BELLWETHER_PUBLIC_URL to its https address',
    )
  }
  if (config.database_url !== null && !isSafe(config.database_url, 'sslmode')) {
    warnings.push('DATABASE_URL names another machine without TLS: add ?sslmode=verify-full')
  }
  if (config.smtp_url !== null && !isSafe(config.smtp_url, 'requireTLS')) {
    warnings.push(
      'BELLWETHER_SMTP_URL names another machine and may fall back to plain text: use smtps://',
    )
  }
  return warnings
}

/** Never with its value, which may be a secret. */
function sayUnknown({ name, meant }: UnknownSetting): string {
  const advice = meant === null ? 'README.md lists the settings' : `did you mean ${meant}?`
  return `${name} is no setting and does nothing: ${advice}`
}

function sayServiceLink(name: string): string {
  const service = name
    .replace(/_PORT$/, '')
    .toLowerCase()
    .replaceAll('_', '-')
  return (
    `${name} is passed over: its value is what Kubernetes tells of a service named ${service}, not a port; ` +
    'give the port in the pod, or set enableServiceLinks: false there'
  )
}

/** On this machine, encrypted by its scheme, or said to be by the parameter. */
function isSafe(text: string, parameter: string): boolean {
  const { protocol, hostname, searchParams } = new URL(text)
  const said = searchParams.get(parameter)
  if (protocol === 'smtps:' || isLocal(decodeURIComponent(hostname))) return true
  return said !== null && !['disable', 'allow', 'prefer', 'false'].includes(said)
}

function isLocal(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  if (bare === '' || bare === 'localhost' || bare.startsWith('/')) return true
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback'
}
