// Where a request comes from, in one spelling: what sessions, the audit log and the log of refusals hold.
import ipaddr from 'ipaddr.js'

const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const PLAIN_IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`)

/** As it is always written; told several times a request, many times quicker than by taking it apart. */
export const isIPv4 = (text: string) => PLAIN_IPV4.test(text)

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
