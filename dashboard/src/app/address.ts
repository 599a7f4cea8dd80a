// What is in the address bar: every filter lives there, so that back works and links can be shared.
import { type UseNavigateResult, useMatch, useRouter, useSearch } from '@tanstack/react-router'

export type Address = Readonly<Record<string, string | undefined>>

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

export function printSearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)])
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}

/** A slash at the end leads to the same page. */
const bare = (path: string) => path.replace(/\/+$/, '')

type Change = Record<string, string | number | undefined>

/**
 * The filters of the page and a way to change some of them; a changed filter begins at the first page again.
 * It may be an answer that changes one, late: the others stay as they are by then, and another page keeps its own,
 * which is answered by false.
 */
export function useAddress(): [Address, (change: Change, replace?: boolean) => boolean] {
  const search = useSearch({ strict: false }) as Address
  const router = useRouter()
  const isHere = useIsHere()
  const change = (next: Change, replace = false) => {
    if (!isHere()) return false
    const page = 'page' in next ? {} : { page: undefined }
    const put = (now: Address) => ({ ...now, ...page, ...next })
    // Whoever chooses a tab or an order far down the page looks at it there.
    router.navigate({ to: '.', search: put as never, replace, resetScroll: false })
    return true
  }
  return [search, change]
}

/** Whether the page this belongs to is the one in sight by then. */
function useIsHere(): () => boolean {
  const router = useRouter()
  const here = useMatch({ strict: false, select: match => match.pathname })
  return () => bare(router.latestLocation.pathname) === bare(here)
}

/** Leads on to where an answer belongs; whoever has gone elsewhere meanwhile stays there. */
export function useLeadOn(): UseNavigateResult<string> {
  const router = useRouter()
  const isHere = useIsHere()
  return async options => {
    // What was done is done: nobody is asked whether they want to leave.
    if (isHere()) await router.navigate({ ...options, ignoreBlocker: true })
  }
}

/** The API has no later one. */
const LAST_PAGE = 1_000_000

export function pageOf(address: Address): number {
  const page = Number(address.page ?? 1)
  return Number.isInteger(page) && page > 0 ? Math.min(page, LAST_PAGE) : 1
}

/** Undefined unless it is one of those. */
export function oneOf<T extends string>(
  value: string | undefined,
  allowed: readonly T[],
): T | undefined {
  return allowed.find(one => one === value)
}
