// Which passwords are refused, and why; what is accepted is used exactly as typed.
import { invalid } from '../platform/errors.ts'
import { isCommonPassword } from './common-passwords.ts'

export const SHORTEST_PASSWORD = 12
export const LONGEST_PASSWORD = 200

const LOOKALIKES: Record<string, string> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** The reason a password is refused, or null. */
export function judgePassword(
  password: string,
  email: string,
  organizations: readonly string[] = [],
): string | null {
  const length = [...password].length
  if (length < SHORTEST_PASSWORD) return `must have at least ${SHORTEST_PASSWORD} characters`
  if (length > LONGEST_PASSWORD) return `must have at most ${LONGEST_PASSWORD} characters`
  const lower = password.toLowerCase()
  if (ownWords(email).some(word => lower.includes(word))) {
    return 'must not contain your email address, its parts or the name of this service'
  }
  if (organizations.flatMap(namesOf).some(name => lower.includes(name))) {
    return 'must not contain the name of your organization'
  }
  if (cores(lower).some(isCommonPassword))
    return 'is one of the most common passwords, or close to one'
  if (isOneUnitRepeated(lower) || isRun(lower)) return 'is a simple pattern'
  return null
}

export function requireGoodPassword(
  password: string,
  email: string,
  organizations: readonly string[],
): void {
  const reason = judgePassword(password, email, organizations)
  if (reason !== null) throw invalid([{ path: 'password', message: reason }])
}

function ownWords(email: string): string[] {
  const [name = '', domain = ''] = email.toLowerCase().split('@')
  const parts = [email.toLowerCase(), name, domain, ...name.split(/[.+_-]/), ...domain.split('.')]
  return ['bellwether', ...parts.filter(part => part.length >= 4)]
}

/** As a whole, with and without spaces: single words of it may be any words of the language. */
function namesOf(organization: string): string[] {
  const name = organization.trim().toLowerCase()
  return [name, name.replace(/[^\p{L}\p{N}]+/gu, '')].filter(one => one.length >= 4)
}

/** The password itself, and what is left without the usual decoration before, behind and inside. */
function cores(lower: string): string[] {
  const bare = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const plain = [...lower].map(char => LOOKALIKES[char] ?? char).join('')
  const plainBare = [...bare].map(char => LOOKALIKES[char] ?? char).join('')
  const untailed = lower.replace(/[\d\p{P}\p{S}\s]+$/u, '')
  const decoded = [...untailed].map(char => LOOKALIKES[char] ?? char).join('')
  return [lower, plain, bare, plainBare, decoded].filter(core => core.length >= 4)
}

function isOneUnitRepeated(text: string): boolean {
  return /^(.{1,6}?)\1+.{0,2}$/u.test(text)
}

/** abcdefghijkl, 987654321098 */
function isRun(text: string): boolean {
  const codes = [...text].map(char => char.codePointAt(0)!)
  const steps = codes.slice(1).map((code, i) => code - codes[i]!)
  return steps.filter(step => Math.abs(step) === 1).length >= steps.length * 0.85
}
