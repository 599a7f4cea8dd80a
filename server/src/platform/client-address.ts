// Where a request comes from, in one spelling: what sessions, the audit log and the log of refusals hold.
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What a proxy says in place of an address, whatever it is. */
export const UNKNOWN_ADDRESS = 'unknown'

/** The address alone, and IPv4 as such where the socket takes both kinds; any other text tells nothing and has no bound. */
export function clientAddress(given: string): string {
  if (isIPv4(given)) return given
  const plain = withoutPort(given)
  return ipaddr.isValid(plain) ? ipaddr.process(plain).toString() : UNKNOWN_ADDRESS
}

/** Some proxies name the port as well, which is another one for each connection. */
function withoutPort(address: string): string {
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  return v6 ?? v4 ?? address
}
