// One address is one person, however it is typed.
import { invalid } from '../platform/errors.ts'

const FORM = /^[^\s@"(),:;<>[\\\]\p{Cc}]{1,64}@[^\s@"(),:;<>[\\\]\p{Cc}]{1,189}$/u

export function readEmail(text: string, path = 'email'): string {
  const email = text.trim().normalize('NFC')
  if (!FORM.test(email)) throw invalid([{ path, message: 'must be an email address' }])
  return email
}

/** The form in which addresses are compared. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}
