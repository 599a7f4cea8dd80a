// How the engine says what is wrong with a value, so that every refusal reads alike.

export type Fault = { path: string; message: string }

export function integerFaults(path: string, value: number, min: number, max: number): Fault[] {
  if (Number.isInteger(value) && value >= min && value <= max) return []
  return [{ path, message: `must be a whole number from ${min} to ${max}` }]
}
