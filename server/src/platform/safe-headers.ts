// The headers of every answer: it is not sniffed, framed, embedded, kept or told onwards, unless a route says more.
import type { Config } from '../config.ts'
import { isHttps } from './public-url.ts'

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const

/** A year, so that a browser that came once never asks without TLS again; only where TLS is promised. */
const TLS_ONLY = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } as const

export type SafeHeaders = Readonly<Record<string, string>>

export function safeHeaders(config: Config): SafeHeaders {
  return isHttps(config) ? { ...ALWAYS, ...TLS_ONLY } : ALWAYS
}
