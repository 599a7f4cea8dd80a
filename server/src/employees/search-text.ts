// The form in which people are searched for: without case, with each accent joined to its letter.
import { foldCase } from '../platform/fold-case.ts'

export function searchText(text: string): string {
  return foldCase(text).normalize('NFC')
}
