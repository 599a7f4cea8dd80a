// Where a webhook may go: public addresses only, judged on the very address that is connected to.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Fault } from '../platform/errors.ts'

export const NOT_ALLOWED = 'destination address not allowed'
const MOST_URL = 2048

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** All public IPv6 addresses are in here; `::7f00:1` and its like, which look like unicast, are not. */
const PUBLIC_V6 = ipaddr.parseCIDR('2000::/3') as Network

/** Public by its number, yet it leads no machine of Azure out: the platform itself answers there. */
const AZURE_PLATFORM = ipaddr.parseCIDR('168.63.129.16/32') as Network

export type Guard = {
  /** True for a public address, or one in a network the operator opened; never for one in a closed network. */
  allows(address: string): boolean
  /** The fault of a URL that may never be a destination, or null. */
  checkUrl(url: string): Fault | null
}

export function createGuard(allow: readonly string[], deny: readonly string[] = []): Guard {
  const [opened, closed] = [allow.map(readNetwork), deny.map(readNetwork)]

  function allows(address: string): boolean {
    if (!ipaddr.isValid(address)) return false
    const plain = ipaddr.process(address)
    if (closed.some(network => isWithin(plain, network))) return false
    return opened.some(network => isWithin(plain, network)) || isPublic(plain)
  }

  function checkUrl(text: string): Fault | null {
    const url = readUrl(text)
    if (typeof url === 'string') return { path: 'url', message: url }
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !allows(host)) return { path: 'url', message: NOT_ALLOWED }
    return null
  }

  return { allows, checkUrl }
}

/** The URL, or what is wrong with it. Its parser turns `0x7f.1` and `2130706433` into 127.0.0.1 for us. */
function readUrl(text: string): URL | string {
  if (text.length > MOST_URL) return `must have at most ${MOST_URL} characters`
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text))
    return 'must be an absolute http or https URL'
  const url = new URL(text)
  if (!['http:', 'https:'].includes(url.protocol)) return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.hash !== '') return 'must not contain a fragment'
  if (url.href.length > MOST_URL)
    return `must have at most ${MOST_URL} characters in its plain form`
  return url
}

/** Mapped addresses are judged as those of IPv4 that they mean; so is a network of them. */
function readNetwork(cidr: string): Network {
  const [address, bits] = ipaddr.parseCIDR(cidr) as Network
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96
  return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits]
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || isWithin(address, AZURE_PLATFORM)) return false
  return address.kind() === 'ipv4' || isWithin(address, PUBLIC_V6)
}
