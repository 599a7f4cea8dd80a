// One address is one person, however it is typed.
import { invalid } from '../platform/errors.ts'
import { foldCase } from '../platform/fold-case.ts'
import { unseenFault } from '../platform/unseen-marks.ts'

const NEVER = `\\s@"(),:;<>[\\\\\\]\\p{Cc}`
const FORM = new RegExp(`^[^${NEVER}]{1,64}@[^${NEVER}]{1,189}$`, 'u')

export function readEmail(text: string): string {
  const email = text.trim().normalize('NFC')
  if (!FORM.test(email) || unseenFault(email) !== null)
    throw invalid([{ path: 'email', message: 'must be an email address' }])
  return email
}

/** The form in which addresses of accounts are compared; people type them, so blanks around do not matter. */
export function accountKey(email: string): string {
  return foldCase(email.trim().normalize('NFC'))
}
