// Answers that come late: a journey acts meanwhile, then lets them come.
import type { Page } from 'playwright-core'

/** Requests of this kind wait until the returned function lets them go on, as they are or refused. */
export async function holdBack(page: Page, method: string, path: RegExp) {
  const asked: string[] = []
  let open: (refuse: boolean) => void = () => {}
  const opened = new Promise<boolean>(resolve => {
    open = resolve
  })
  await page.route(path, async route => {
    if (route.request().method() !== method) return route.fallback()
    asked.push(route.request().url())
    if (!(await opened)) return route.fallback()
    const error = { code: 'UNAVAILABLE', message: 'the service is busy', request_id: 'req_held' }
    await route.fulfill({ status: 503, json: { error } })
  })
  return { asked, letGo: () => open(false), refuse: () => open(true) }
}
