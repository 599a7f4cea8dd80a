// Rules of security that a file can break by what it says: weak algorithms, chance that can be guessed, doors to outside.
import { lineOf, readSource } from './source-text.ts'
import type { Violation } from './tidy.ts'

type Rule = {
  readonly name: string
  readonly pattern: RegExp
  /** Look at strings too, for names of algorithms. */
  readonly strings?: boolean
  readonly message: string
  /** Files that may, each for a reason the inventory of SECURITY.md gives. */
  readonly allowed?: readonly string[]
}

const OWN = /^(?:server\/src|scoring|dashboard\/src)\/(?!.*\.(?:test|fixture)\.tsx?$).*\.tsx?$/

export const SECURITY_RULES: readonly Rule[] = [
  {
    name: 'code-from-text',
    pattern: /\beval\s*\(|\bnew\s+Function\s*\(|\bvm\.\w+\(|\bsetTimeout\s*\(\s*['"`]/g,
    message: 'text never becomes code',
  },
  {
    name: 'import-of-data',
    pattern: /\bimport\s*\(\s*(?!['"\s])/g,
    strings: true,
    message: 'name what is imported',
  },
  {
    name: 'guessable-chance',
    pattern: /\bMath\.random\b/g,
    message: 'what must not be guessed comes from node:crypto',
    allowed: [
      'server/src/events/marks.queries.ts',
      'server/src/verify/verify-online.job.ts',
      'server/src/webhooks/deliver-webhooks.job.ts',
    ],
  },
  {
    name: 'weak-algorithm',
    pattern: /(['"`])(?:md5|sha-?1|des3?|rc4|aes-\d+-(?:ecb|cbc)|rsa-pkcs1\w*|bf-cbc)\1/gi,
    strings: true,
    message: 'SHA-256, HMAC-SHA-256, AES-256-GCM and argon2id only',
  },
  {
    name: 'cipher',
    pattern: /\bcreateCipheriv\s*\(\s*(?!'aes-256-gcm')/g,
    strings: true,
    message: 'AES-256-GCM only',
  },
  {
    name: 'weaker-tls',
    pattern:
      /\b(?:rejectUnauthorized|minVersion|secureProtocol|ciphers|checkServerIdentity)\b|NODE_TLS/g,
    strings: true,
    message: 'certificates are always checked, by the defaults of the runtime (TLS 1.2 and newer)',
    // sslmode=require encrypts without proof, as everywhere; verify-full proves.
    allowed: ['server/src/platform/pool.ts'],
  },
  {
    name: 'door-to-outside',
    pattern:
      /(?:from|import\()\s*'(?:undici|nodemailer|node:(?:net|tls|http|https|http2|dgram|dns)(?:\/promises)?)'|(?<![.\w])fetch\s*\(/g,
    strings: true,
    message: 'only the listed files open connections',
    allowed: [
      'server/src/platform/answer-broken-request.ts',
      'server/src/platform/answer-in-turn.ts',
      'server/src/platform/export-spans.ts',
      'server/src/platform/mail.ts',
      'server/src/platform/metrics-server.ts',
      'server/src/platform/postgres-process.ts',
      'server/src/platform/postgres-server.ts',
      'server/src/platform/turn-away.ts',
      'server/src/platform/wire.ts',
      'server/src/access/under-way.ts',
      'server/src/webhooks/destination-guard.ts',
      'server/src/webhooks/open-connection.ts',
      'server/src/webhooks/resolve-host.ts',
      'server/src/webhooks/send-request.ts',
      'server/src/commands/drain.ts',
      'server/src/commands/listen.ts',
      'dashboard/src/app/call-api.ts',
    ],
  },
  {
    name: 'browser-storage',
    pattern: /\b(?:localStorage|sessionStorage|indexedDB)\b/g,
    message: 'nothing of anybody is kept in the browser',
  },
  {
    name: 'lookup-by-name',
    pattern: /\bdocument\.all\b|\bwindow\s*\[/g,
    message: 'an element id must not stand for a variable',
  },
  {
    name: 'plain-comparison',
    pattern:
      /\b(?:token|secret|csrf_token|signature|hash|verifier)\s*[!=]==\s*(?!null|undefined|''|typeof)\w/g,
    message: 'compare secrets by isSameSecret',
  },
]

export function checkSecurity(file: string, text: string): Violation[] {
  if (!OWN.test(file)) return []
  const { code, uncommented } = readSource(text)
  return SECURITY_RULES.filter(({ allowed = [] }) => !allowed.includes(file)).flatMap(rule =>
    [...(rule.strings ? uncommented : code).matchAll(rule.pattern)].map(({ index }) => {
      return { file, line: lineOf(text, index), rule: rule.name, message: rule.message }
    }),
  )
}
