// Fetches the code of a page. A window that loads anew finds what a newer build has in its place; where the service is
// not reached at all it would find the browser's own page, so there it stays and says so.
import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router'
import { isReached, NOT_REACHED } from './call-api.ts'

type Pages<Name extends string> = Record<Name, () => React.JSX.Element>

export function lazyPage<Name extends string>(
  fetchCode: () => Promise<Pages<Name>>,
  name: Name,
): RouteComponent {
  const fetching = async (): Promise<Pages<Name>> => {
    try {
      return await fetchCode()
    } catch (error) {
      throw (await isReached()) ? error : new Error(NOT_REACHED)
    }
  }
  return lazyRouteComponent(fetching, name)
}
