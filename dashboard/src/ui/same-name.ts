// Whether a name was typed as it is read: white space and accents look alike in several spellings. Pure.

const collapse = (text: string) => text.normalize('NFC').trim().replace(/\s+/g, ' ')

export function isSameName(typed: string, name: string): boolean {
  return collapse(typed) === collapse(name)
}
