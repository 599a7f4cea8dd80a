// The form in which people are searched for: lower case, with each accent joined to its letter.

export function searchText(text: string): string {
  return text.toLowerCase().normalize('NFC')
}
