// The form in which people are searched for: without case, and an accent apart from its letter is the letter with it.

export function searchText(text: string): string {
  return text.toLowerCase().normalize('NFC')
}
