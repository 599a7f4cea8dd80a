// How long a known weakness of a package may stay, and what npm's audit says of it.

/** Days from the day an advisory is known here to the day it must be gone; as SECURITY.md promises. */
export const DEADLINES = { critical: 2, high: 7, moderate: 30, low: 90, info: 365 } as const

export type Severity = keyof typeof DEADLINES
export type Advisory = {
  readonly name: string
  readonly severity: Severity
  readonly title: string
}

type Report = {
  readonly vulnerabilities?: Readonly<
    Record<string, { severity: Severity; via: readonly (string | { title?: string })[] }>
  >
}

/** Null when there is no report: no network, or a registry that gives none. */
export function readAdvisories(output: string): Advisory[] | null {
  try {
    const { vulnerabilities } = JSON.parse(output) as Report
    if (vulnerabilities === undefined) return null
    return Object.entries(vulnerabilities).map(([name, { severity, via }]) => {
      const titles = via.flatMap(one => (typeof one === 'string' ? [] : [one.title ?? '']))
      return { name, severity, title: titles[0] ?? 'by what it depends on' }
    })
  } catch {
    return null
  }
}

export type Seen = Readonly<Record<string, string>>

/** Since when each is known, the new ones since today; what is fixed is forgotten. */
export function noteSeen(advisories: readonly Advisory[], seen: Seen, today: string): Seen {
  return Object.fromEntries(advisories.map(one => [keyOf(one), seen[keyOf(one)] ?? today]))
}

const keyOf = ({ name, title }: Advisory) => `${name}: ${title}`
const DAY_MS = 86_400_000

export function findOverdue(
  advisories: readonly Advisory[],
  seen: Seen,
  today: string,
): Advisory[] {
  return advisories.filter(one => {
    const days = (Date.parse(today) - Date.parse(seen[keyOf(one)] ?? today)) / DAY_MS
    return days > DEADLINES[one.severity]
  })
}
