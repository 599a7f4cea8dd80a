// How long a JSON value is where the database writes it out, which is not always as long as it was when it came. Pure.

/** In bytes, spaces aside. The database knows no exponents: 1e308, five letters here, has 309 digits there. */
export function measureStored(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + addedDigits(value)
}

function addedDigits(value: unknown): number {
  if (typeof value === 'number') return addedTo(value)
  if (typeof value !== 'object' || value === null) return 0
  let added = 0
  for (const inner of Object.values(value)) added += addedDigits(inner)
  return added
}

function addedTo(number: number): number {
  const spelt = String(Math.abs(number))
  const at = spelt.indexOf('e')
  if (at < 0) return 0
  const power = Number(spelt.slice(at + 1))
  const digits = spelt.slice(0, at).replace('.', '').length
  const places = power > 0 ? power + 1 : digits + 1 - power
  return places - spelt.length
}
