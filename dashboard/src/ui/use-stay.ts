// A secret is shown this once: whoever asked for one stays on the page until it has come.
import { useRouter } from '@tanstack/react-router'

export function useStay(): <T>(answer: Promise<T>) => Promise<T> {
  const { history } = useRouter()
  return async answer => {
    const letGo = history.block({ blockerFn: () => true, enableBeforeUnload: true })
    try {
      return await answer
    } finally {
      letGo()
    }
  }
}
