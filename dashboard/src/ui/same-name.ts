// Whether a name was typed as it is read: a page shows several spaces as one. Pure.

const collapse = (text: string) => text.trim().replace(/\s+/g, ' ')

export function isSameName(typed: string, name: string): boolean {
  return collapse(typed) === collapse(name)
}
