// Two letters that stand for a person, taken from their address.

/** Of both names where the address has two, the first two letters of it where it has not. */
export function initialsOf(email: string): string {
  const name = email.split('@')[0]!
  const [first = name, second] = name.split(/[._-]/).filter(part => part !== '')
  return (second ? `${first[0]}${second[0]}` : first.slice(0, 2)).toUpperCase()
}
