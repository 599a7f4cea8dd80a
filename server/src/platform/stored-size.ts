// How long a JSON value is where the database writes it out, which is not always as long as it was when it came. Pure.

/**
 * Whether it takes more bytes than that, spaces aside. The database knows no exponents: 1e-300, six letters here, has
 * 302 digits there, and a small body would become a large answer.
 */
export function isStoredLarger(value: unknown, most: number): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  return bytes > most || bytes + addedDigits(value) > most
}

function addedDigits(value: unknown): number {
  if (typeof value === 'number') return addedTo(value)
  if (typeof value !== 'object' || value === null) return 0
  let added = 0
  for (const inner of Object.values(value)) added += addedDigits(inner)
  return added
}

function addedTo(number: number): number {
  const size = Math.abs(number)
  if (size === 0 || (size >= 1e-6 && size < 1e21)) return 0
  const spelt = String(size)
  const at = spelt.indexOf('e')
  const power = Number(spelt.slice(at + 1))
  const digits = spelt.slice(0, at).replace('.', '').length
  const places = power > 0 ? power + 1 : digits + 1 - power
  return places - spelt.length
}
