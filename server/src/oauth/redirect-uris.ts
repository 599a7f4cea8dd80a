// Where an app may be redirected to: https, or plain http on the developer's own machine; compared as text.
import { invalid } from '../platform/errors.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[::1\])$/
const WEB = /^https?:\/\//
const LONGEST_URI = 1900
export const MOST_REDIRECT_URIS = 20

/** The reason a redirect URI is refused at registration, or null. */
export function judgeRedirectUri(uri: string): string | null {
  if (!WEB.test(uri) || !URL.canParse(uri)) return 'must be an absolute https URL'
  if (uri.length > LONGEST_URI) return `must have at most ${LONGEST_URI} characters`
  const { protocol, hostname, username, password, href, origin } = new URL(uri)
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('\\')) return 'must not have a backslash'
  if (username !== '' || password !== '' || uri.split('/')[2]?.includes('@')) {
    return 'must not have a user name or password'
  }
  if (protocol === 'http:' && !LOOPBACK.has(hostname)) {
    return 'must be https; http is allowed for localhost, 127.0.0.1 and [::1] only'
  }
  // A browser goes to another spelling than was registered; so only the one it goes to is taken. The slash may be left out.
  const [own, rest] = [uri.slice(0, origin.length), uri.slice(origin.length)]
  const isPlain = href === uri || (own === origin && href === `${origin}/${rest}`)
  if (!HOST.test(hostname)) return 'must name its host by letters, digits, dots and dashes'
  return isPlain ? null : `must be written in its plain form, like ${href}`
}

export function readRedirectUris(uris: readonly string[]): string[] {
  if (uris.length === 0 || uris.length > MOST_REDIRECT_URIS) {
    throw invalid([{ path: 'redirect_uris', message: `must be 1 to ${MOST_REDIRECT_URIS} URLs` }])
  }
  for (const uri of uris) {
    const reason = judgeRedirectUri(uri)
    if (reason !== null) throw invalid([{ path: 'redirect_uris', message: `"${uri}" ${reason}` }])
  }
  return [...new Set(uris)]
}
