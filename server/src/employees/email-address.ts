// What counts as an email address here, and the form in which two spellings of one are the same.
import type { Fault } from '../platform/errors.ts'
import { foldCase } from '../platform/fold-case.ts'
import { UNSEEN, unseenFault } from '../platform/unseen-marks.ts'

export const MAX_EMAIL_LENGTH = 320

/** Email matching ignores case, and whether an accent stands apart, everywhere: this is what is compared. */
export function emailKey(email: string): string {
  return foldCase(email).normalize('NFC')
}

/** What stands for the address of somebody erased: one that nobody can have, and no two people share. */
export function aliasOf(employee_id: string): string {
  return `erased-${employee_id}@invalid`.toLowerCase()
}

/** Whoever took one in advance would stand in the way of an erasure. */
export function isAlias(email: string): boolean {
  return /^erased-.*@invalid$/i.test(email)
}

// Nobody sees the unseen ones, and the address of no event would match.
const NEVER = `\\s\\u0000-\\u001f\\u007f-\\u009f@<>,;${UNSEEN}`
const LOCAL = `[^${NEVER}]+`
const HOST = `[^${NEVER}"\\\\]+`
/**
 * One @, no white space, control characters or list separators; what a mail system does with the rest (plus signs,
 * quotes, other scripts) is its own matter. Readers of the API document may not know classes of letters by name.
 */
export const EMAIL = `^${LOCAL}@${HOST}$`
export const EMAIL_OR_NONE = `^(?:${LOCAL}@${HOST})?$`

const ADDRESS = new RegExp(EMAIL, 'u')

export function emailFaults(path: string, email: string): Fault[] {
  // Some letters are more than one in the form that is compared.
  if ([...email.normalize('NFC')].length > MAX_EMAIL_LENGTH) {
    return [{ path, message: `must have at most ${MAX_EMAIL_LENGTH} characters` }]
  }
  const hidden = unseenFault(email)
  if (hidden !== null) return [{ path, message: hidden }]
  if (ADDRESS.test(email)) return []
  return [{ path, message: 'must be an email address such as ada@example.com' }]
}
