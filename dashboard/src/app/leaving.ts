// Those who leave by an act of their own, such as logging out, are not told on the way that the session is no more.
type News = () => void

const NOTHING: News = () => {}
let leaving = false
let untold = NOTHING

/** At once, or where one is about to leave and then stays. */
export function tellUnlessLeaving(news: News): void {
  if (leaving) untold = news
  else news()
}

function stay(): void {
  leaving = false
  const news = untold
  untold = NOTHING
  news()
}

/** The browser may keep the page that was left, and bring it back. */
function arrive(): void {
  leaving = false
  untold = NOTHING
}

/** Goes there once the act is done; where it fails, or a secret to be stored holds one back, one stays. */
export async function leaveBy(act: () => Promise<unknown>, to: string): Promise<void> {
  leaving = true
  try {
    await act()
  } catch (error) {
    stay()
    throw error
  }
  window.addEventListener('beforeunload', event => event.defaultPrevented && stay(), { once: true })
  window.addEventListener('pagehide', arrive, { once: true })
  window.location.assign(to)
}
