// Reads the written durations of rules ("24h") as milliseconds.

export const DAY_MS = 86_400_000

export const MAX_COOLDOWN_MS = 365 * DAY_MS

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS } as const

export function parseDuration(text: string): number | null {
  const parts = /^(\d{1,8})([smhdw])$/.exec(text)
  if (parts === null) return null
  const milliseconds = Number(parts[1]) * UNIT_MS[parts[2] as keyof typeof UNIT_MS]
  return milliseconds <= MAX_COOLDOWN_MS ? milliseconds : null
}
