// How long to wait, for people: nobody counts hundreds of seconds. Programs read Retry-After.

export function sayWait(seconds: number): string {
  return seconds <= 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
